"""Find and load an encoder: by bundled name, from a file, or from a folder.

``.safetensors`` is our own format; any other file (``.txt``, ``.vec``, ``.gz``, ``.bin``) is word2vec
or GloVe. A folder is our own, model2vec's or one of sentence-transformers with a StaticEmbedding
(:mod:`semaniacs.embeddings.formats.folder`), or a transformer's
(:mod:`semaniacs.embeddings.transformer.bert_folder`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from semaniacs.embeddings.encoder import Encoder, SentenceEncoder
from semaniacs.embeddings.single_file import languages_in, load_encoder
from semaniacs.embeddings.table import Vectors
from semaniacs.sts.data.pairs import sentences_of
from semaniacs.sts.errors import DataError, StsError, UnknownNameError, warn_caller
from semaniacs.sts.tensors import read_metadata
from semaniacs.sts.text.languages_found import AUTO, NotEnglish

if TYPE_CHECKING:
    from semaniacs.embeddings.bitext.multilingual import Multilingual
    from semaniacs.embeddings.transformer.fine_tuning.reader import Reader
    from semaniacs.embeddings.transformer.transformer_encoder import Transformer

PRETRAINED = Path(__file__).parent / "pretrained"


class Bundled(NamedTuple):
    """An encoder that ships: its file, and the codes of the languages that it knows."""

    path: Path
    languages: tuple[str, ...]


BUNDLED = {
    name: Bundled(PRETRAINED / f"{name}.safetensors", tuple(languages.split()))
    for name, languages in {
        "paragram": "en",
        "paragram-small": "en",
        "gte": "en",
        "bitext-sp": "en es de fr ru",
        "multilingual": "en es de fr ru",
    }.items()
}
"""The encoders that ship, by name; docs/extending.md says how to add one."""

DEFAULT = "paragram"

NETWORK = "gte"  # the transformer of English that ships

READERS = {
    NETWORK: PRETRAINED / "reader.safetensors",
    "multilingual": PRETRAINED / "reader-multilingual.safetensors",
}
"""The files of :func:`load_reader`, by the network that each changes."""

ENGLISH = tuple(name for name, bundled in BUNDLED.items() if bundled.languages == ("en",))
"""Names of the bundled encoders of English alone."""

UNRELATED = "unrelated"
"""Metadata of a network: the cosine of sentences that have nothing in common."""


def is_multilingual(model: str | Path) -> bool:
    """Return whether a model is one that ships and knows several languages."""
    return str(model) in BUNDLED and str(model) not in ENGLISH


OPTION = "language= (in a shell: --languages)"
"""Name of the option for a language, in errors for readers in Python and in a shell."""


def load(
    model: str | Path = DEFAULT,
    language: str | None = None,
    option: str = OPTION,
    *,
    auto: bool = True,
) -> SentenceEncoder:
    """Load the encoder of a language in a model; see :func:`load_languages`."""
    encoder = load_languages(model, [language], option, auto=auto)[0]
    encoder.source = str(model)
    return encoder


def encode(
    sentences: str | Iterable[Any],
    model: str | Path = DEFAULT,
    *,
    language: str | None = None,
    **options: Any,
) -> Vectors:
    """Return sentence vectors (n, dim) float32, or (dim,) for one string, of a model.

    Sentences and options are as for :meth:`semaniacs.embeddings.encoder.SentenceEncoder.encode`. The
    ``model`` is a bundled name, which is loaded once, a file or a folder. The ``language`` is a
    two-letter code, for a model of several; ``auto`` identifies that of each sentence. Raises an
    StsError as :func:`load` and that method. A UserWarning says that the model knows English alone,
    and some sentences are not in Latin script.
    """
    encoder = load_once(model, language)
    given = sentences if isinstance(sentences, str) else sentences_of(sentences)
    if str(model) in ENGLISH:
        scripts = NotEnglish()
        scripts.count([given] if isinstance(given, str) else given)
        if warning := scripts.warning(str(model), 'model="multilingual"'):
            warn_caller(warning)
    return encoder.encode(given, **{"normalize": False, "progress": False} | options)


def load_once(model: str | Path = DEFAULT, language: str | None = None) -> SentenceEncoder:
    """Load as :func:`load`; an encoder that ships is cached, without its counts of languages."""
    if str(model) not in BUNDLED:
        return load(model, language)
    kept = _load_bundled(str(model), language)
    if language != AUTO:
        return kept
    from semaniacs.embeddings.bitext.multilingual import IdentifyingEncoder

    return IdentifyingEncoder(kept.several) if isinstance(kept, IdentifyingEncoder) else kept


@cache
def _load_bundled(name: str, language: str | None) -> SentenceEncoder:
    return load(name, language)


def load_languages(
    model: str | Path, languages: Sequence[str | None], option: str = OPTION, *, auto: bool = True
) -> list[SentenceEncoder]:
    """Load the encoders of some languages in a model; only these are built.

    A language is a two-letter code, ``auto``, or None where all languages of the model share one
    encoder; a file that does not say which language it is for takes any code. ``option`` is the name of
    the option for a language in errors, and ``auto`` whether they offer it. Raises an UnknownNameError
    for neither a bundled name nor a file, or a language that the model does not know (it lists those
    it knows), a DataError if the model is missing, damaged or not an encoder, or its languages have an
    encoder each and none was named.
    """
    path = find_model(model)
    several = languages_in(path)
    known = several or (BUNDLED[str(model)].languages if str(model) in BUNDLED else ())
    allowed = [*known, AUTO] if len(known) > 1 else [*known]
    for code in languages:
        if known and code is not None and code not in allowed:
            raise UnknownNameError(f"language of {model}", code, allowed)
    if not several or is_small(path):
        return [_load_alone(model, path)] * len(languages)
    from semaniacs.embeddings.bitext.language_files import differ_by_language, read_languages
    from semaniacs.embeddings.bitext.multilingual import IdentifyingEncoder, Multilingual

    if not differ_by_language(path):
        languages = [several[0] if code in (None, AUTO) else code for code in languages]
    elif None in languages:
        raise DataError(
            f"{model}: its languages have an encoder each; name the language, "
            f"with {option}: {', '.join(several)}{', or auto' if auto else ''}"
        )
    wanted = [code for code in languages if code is not None]
    named = several if AUTO in wanted else dict.fromkeys(wanted)
    encoders: dict[str, SentenceEncoder] = {**read_languages(path, [*named], load_static)}
    if AUTO in wanted:
        encoders[AUTO] = IdentifyingEncoder(Multilingual(encoders, str(model)))
    return [encoders[code] for code in wanted]


def _load_alone(model: str | Path, path: Path) -> SentenceEncoder:
    if is_small(path):
        return _load_shipped(path) if path.parent == PRETRAINED else _load_small(path)
    if is_four_bit(path):
        from semaniacs.embeddings.transformer.four_bit_file import load_four_bit

        return load_four_bit(path)
    if path.is_dir():
        from semaniacs.embeddings.transformer.bert_folder import is_transformer, load_bert
        from semaniacs.embeddings.transformer.fine_tuning.transformer_folder import scores_pairs

        if scores_pairs(path):
            raise DataError(
                f"{path}: a cross-encoder, which has no vectors of sentences; score pairs with: "
                f"semaniacs similar PAIRS --model {path}"
            )
        if is_transformer(path):
            return load_bert(path)
    return load_static(model)


def load_multilingual(model: str | Path) -> Multilingual:
    """Load all languages of a model, by bundled name or from a file.

    Raises an UnknownNameError for neither, a DataError if it is missing or damaged, holds no languages,
    or its tokenizer does not fit its weights.
    """
    from semaniacs.embeddings.bitext.language_files import read_languages
    from semaniacs.embeddings.bitext.multilingual import Multilingual

    path = find_model(model)
    known = languages_in(path)
    if known and is_small(path):
        return Multilingual(dict.fromkeys(known, _load_alone(model, path)), str(model))
    if not known:
        raise DataError(
            f"{path}: an encoder without languages; expected one that was trained on bitext, "
            "see: semaniacs bitext --help"
        )
    return Multilingual(read_languages(path, known, load_static), str(model))


def load_static(model: str | Path = DEFAULT) -> Encoder:
    """Load the word-averaging encoder of a model of one language.

    Raises a DataError if it is missing, damaged or not such an encoder, an UnknownNameError if it is
    neither a bundled name nor a file.
    """
    path = find_model(model)
    if str(model) in ENGLISH and str(model) != NETWORK:
        return _load_once(path)
    if _is_network(path):
        raise DataError(f"{model}: a transformer; expected an encoder that averages words")
    if path.is_dir():
        from semaniacs.embeddings.formats.folder import load_folder

        return load_folder(path)
    if path.suffix == ".safetensors":
        return load_encoder(path)
    from semaniacs.embeddings.formats.word2vec import load_word_vectors

    return load_word_vectors(path)


_load_once = cache(load_encoder)


def _is_network(path: Path) -> bool:
    if not path.is_dir():
        return is_small(path) or is_four_bit(path)
    from semaniacs.embeddings.transformer.bert_folder import is_transformer

    return is_transformer(path)


def is_small(path: Path) -> bool:
    """Return whether a file holds a transformer, see :mod:`.transformer.small_file`."""
    return path.suffix == ".safetensors" and "network" in read_metadata(path)


def is_four_bit(path: Path) -> bool:
    """Return whether a file is of the format of :mod:`.transformer.four_bit_file`."""
    if path.suffix != ".bin" or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(4) == b"E5S1"


def _load_small(path: Path) -> Transformer:
    from semaniacs.embeddings.transformer.small_file import load_small

    return load_small(path)


_load_shipped = cache(_load_small)


def load_network(model: str | Path = NETWORK) -> Transformer:
    """Load a transformer, once if it ships: by default that of English. A DataError if it is none."""
    from semaniacs.embeddings.transformer.transformer_encoder import Transformer

    found = load_once(model)
    if not isinstance(found, Transformer):
        raise DataError(f"{model}: not a transformer; type gte, multilingual, or a folder of one")
    return found


@cache
def load_reader(network: str = NETWORK) -> Reader:
    """Load the network that reads both sentences of a pair, once: ``gte`` for English, or ``multilingual``."""
    from semaniacs.embeddings.transformer.fine_tuning.reader import Reader
    from semaniacs.embeddings.transformer.fine_tuning.saved_tuning import load_tuning

    changed, parts = load_tuning(READERS[network], load_network(network))
    return Reader(changed, parts["head"])


def reader_beside(encoder: SentenceEncoder) -> Reader | None:
    """Return the reader that ships beside a transformer, None if there is none."""
    own = encoder.digest if encoder.is_network else ""
    names = (name for name, path in READERS.items() if read_metadata(path).get("start") == own)
    return next(map(load_reader, names), None)


def find_model(model: str | Path) -> Path:
    """Return the file or folder of a model; a DataError or an UnknownNameError if there is none."""
    path = BUNDLED[str(model)].path if str(model) in BUNDLED else Path(str(model))
    if not path.exists() and path.suffix:
        raise DataError(f"{path}: no such file; the bundled encoders are: {', '.join(BUNDLED)}")
    if not path.exists():
        raise UnknownNameError("encoder or vector file", str(model), list(BUNDLED))
    return path


def _save_pretrained(
    encoder: SentenceEncoder, folder: str | Path, *, overwrite: bool = False
) -> None:
    """Write a folder that :func:`load` and sentence-transformers read; a StsError if impossible."""
    from semaniacs.embeddings.formats.folder import save_folder
    from semaniacs.embeddings.transformer.fine_tuning import transformer_folder
    from semaniacs.embeddings.transformer.transformer_encoder import Transformer

    about = copied_metadata(encoder.source) if encoder.source else {}
    if isinstance(encoder, Encoder):
        save_folder(Path(folder), encoder, "float32", overwrite=overwrite, **about)
    elif isinstance(encoder, Transformer):
        transformer_folder.check_free(Path(folder), overwrite=overwrite)
        source = Path(encoder.source or "-")
        opened = source if source.is_dir() else None
        transformer_folder.save_transformer(Path(folder), encoder, opened, **about)
    else:
        raise StsError(f"{encoder} has no form that sentence-transformers reads")


SentenceEncoder.save_pretrained = _save_pretrained


def metadata_of(model: str | Path) -> dict[str, str]:
    """Return the metadata of a model: recipe, licence, format; may be empty."""
    path = find_model(model)
    path = path / "model.safetensors" if path.is_dir() else path
    return read_metadata(path) if path.suffix == ".safetensors" and path.exists() else {}


def copied_metadata(model: str | Path) -> dict[str, str]:
    """Return the metadata of a model that a copy of it, in any format, does not replace."""
    own = "format buckets limit tokenizer path encoder dtype overwrite languages english start network"
    return {key: value for key, value in metadata_of(model).items() if key not in own.split()}
