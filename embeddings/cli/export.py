"""``semaniacs export`` and ``info``: write an encoder for another library, and describe one."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from semaniacs.embeddings.cli.shared_options import choice, flag
from semaniacs.embeddings.encoder import Encoder, SentenceEncoder
from semaniacs.embeddings.formats.folder import save_folder
from semaniacs.embeddings.formats.lines import write_out
from semaniacs.embeddings.formats.word2vec import write_word2vec
from semaniacs.embeddings.loading import copied_metadata, find_model, load, metadata_of
from semaniacs.embeddings.single_file import save_encoder
from semaniacs.embeddings.tokenizers.huggingface import HuggingFaceTokenizer
from semaniacs.embeddings.tokenizers.row_numbers import INSIDE, WordTokenizer
from semaniacs.embeddings.transformer.fine_tuning.transformer_folder import network_of, scores_pairs
from semaniacs.embeddings.transformer.transformer_encoder import Transformer
from semaniacs.sts.command_line import examples, format_option, languages_option, output_option
from semaniacs.sts.errors import StsError
from semaniacs.sts.files import format_of
from semaniacs.sts.progress import note

TARGETS: dict[str, Any] = {
    "folder": "int8",
    "model2vec": "int8",
    "sentence-transformers": "float32",  # its older versions do not multiply by a scale
    "gensim": None,
    "word2vec": None,
    "file": "int8",
}
"""Formats to export an encoder to, and the default type of its rows."""

_WRITTEN = {"gensim": "bin", "word2vec": "vec txt", "file": "safetensors"}


@click.command(
    short_help="Write a model for another library.",
    epilog=examples(
        "semaniacs export paragram -o model --format sentence-transformers",
        "semaniacs export tuned.safetensors -o vectors.bin --format gensim",
        "semaniacs export languages.safetensors --languages es -o spanish --format model2vec",
    ),
)
@click.argument("model")
@output_option(required=True, help="Folder or file to write.")
@format_option("target", required=True, type=click.Choice([*TARGETS]), help="Library or format.")
@choice(
    "--dtype",
    "int4 int8 float16 float32",
    "Type of the rows (default: int8; float32 for sentence-transformers).",
    default=None,
)
@flag("--overwrite", "Replace a folder whatever it holds.")
@languages_option("language")
def export(
    model: str, output: Path, target: str, dtype: Any, overwrite: bool, language: str | None
) -> None:
    """Write MODEL for another library.

    \b
    folder, model2vec      model2vec.StaticModel.from_pretrained('model')
    sentence-transformers  sentence_transformers.SentenceTransformer('model')
    gensim                 KeyedVectors.load_word2vec_format('vectors.bin', binary=True)
    word2vec               the same as text, without binary=True
    file                   one .safetensors file of ours, int8 or int4

    Words that only a hashed row knows are unknown to the other libraries.
    """
    _one_language(language)
    format_of(output, _WRITTEN.get(target, ""))
    encoder = _average_of_words(model, language, target)
    if TARGETS[target] is None:
        if dtype:
            raise StsError(f"--dtype has no meaning with --format {target}; leave it out")
        write_word2vec(output, encoder, binary=target == "gensim")
    elif target == "file":
        if dtype not in (None, "int8", "int4"):
            raise StsError(f"--dtype {dtype} with --format file; expected int8 or int4")
        save_encoder(output, encoder, dtype or "int8", **copied_metadata(model))
    elif dtype == "int4":
        raise StsError(f"--dtype int4 with --format {target}; only --format file holds it")
    else:
        about = copied_metadata(model)
        save_folder(output, encoder, dtype or TARGETS[target], overwrite=overwrite, **about)
    note(f"written to {output}")


def _average_of_words(model: str, language: str | None, target: str) -> Encoder:
    """Return the encoder of a model; an StsError if it is none that other libraries read."""
    encoder = load(model, language, auto=False)
    if isinstance(encoder, Transformer):
        raise StsError(f"{model}: a transformer, {_advice(encoder, model, target)}")
    words = isinstance(encoder.tokenizer, WordTokenizer | HuggingFaceTokenizer)
    if not (isinstance(encoder, Encoder) and words):
        raise StsError(
            f"{model}: made of {type(encoder.tokenizer).__name__} and {type(encoder).__name__}, "
            "which the other libraries cannot read; expected an average of words"
        )
    if encoder.limit is not None and target in ("model2vec", "gensim", "word2vec"):
        print(
            f"{model}: cuts the large numbers of a vector, which {target} does not; "
            "its similarities will be a little worse there",
            file=sys.stderr,
        )
    return encoder


def _advice(transformer: Any, model: str, target: str) -> str:
    if transformer.head.attention:
        return (
            "with attention over tokens (--pooling multi-head), which no other library reads; "
            "tune it with --pooling mean, cls, max or weighted-layers"
        )
    opens = "its folder opens in sentence-transformers as it is"
    if not Path(model).is_dir():
        opens = f"save it in Python: semaniacs.embeddings.load({model!r}).save_pretrained('FOLDER')"
    return opens if target == "sentence-transformers" else f"which {target} cannot hold; {opens}"


@click.command(
    short_help="Show the sizes and metadata of a model.",
    epilog=examples(
        "semaniacs info", "semaniacs info tuned.safetensors", "semaniacs info multilingual"
    ),
)
@click.argument("model", default="paragram")
@languages_option("language")
def info(model: str, language: str | None) -> None:
    """Show the sizes, the fingerprint and the metadata of MODEL."""
    _one_language(language)
    path = find_model(model)
    encoder: SentenceEncoder
    if scores_pairs(path):
        encoder = network_of(path)
    else:
        encoder = load(model, language, "--languages", auto=False)
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    facts = {
        "model": str(path),
        **_sizes(encoder, sum(file.stat().st_size for file in files)),
        "fingerprint": encoder.digest,
        **dict(sorted(metadata_of(model).items())),
    }
    width = max(map(len, facts))
    write_out((f"{name:{width}}  {fact}" for name, fact in facts.items()), None)


def _sizes(encoder: SentenceEncoder, on_disk: int) -> dict[str, str]:
    if isinstance(encoder, Transformer):
        tensors = encoder.weights.values()
        bytes_held, dtype = sum(tensor.nbytes for tensor in tensors), "float32"
        own = {
            "layers": f"{encoder.shape.layers} of {encoder.width}, {encoder.shape.heads} heads",
            "numbers": f"{sum(tensor.size for tensor in tensors):,}",
            "reads": f"{encoder.longest} tokens of a text",
        }
    else:
        known, table = encoder.tokenizer.known, encoder.rows
        pieces = sum(word.startswith(INSIDE) for word in known)
        of_words = isinstance(encoder.tokenizer, WordTokenizer | HuggingFaceTokenizer)
        words = f"{len(known) - pieces:,} words, {pieces:,} pieces" if of_words else "subwords"
        own = {"rows": f"{len(table):,}: {words}, {encoder.tokenizer.buckets:,} hashed"}
        bytes_held, dtype = table.values.nbytes + table.scale.nbytes, str(table.values.dtype)
    return {
        **own,
        "dim": str(encoder.dim),
        "dtype": dtype,
        "bytes": f"{bytes_held:,} in memory, {on_disk:,} on disk",
    }


def _one_language(code: str | None) -> None:
    if code == "auto":
        raise click.BadParameter(
            "auto; expected the code of one language", param_hint="--languages"
        )
