"""
Names of the Python package of the Rust encoderfile, so that programs for that package also run with this one. docs/python.md lists the
differences.
"""

from __future__ import annotations

import enum
import json
import os
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Union

from ._build import run_build
from ._encoder import Encoderfile
from ._errors import ConfigError, MissingFileError
from ._info import Info, Path, inspect


class _Words(str, enum.Enum):
    """Strings with names, as in `enum.StrEnum`, which requires Python 3.11."""

    __str__ = str.__str__
    __format__ = str.__format__  # type: ignore[assignment]


class ModelType(_Words):
    """Types of models. Every `model_type` argument also accepts the string."""

    Embedding = "embedding"
    SentenceEmbedding = "sentence_embedding"
    SparseEmbedding = "sparse_embedding"
    MultiVector = "multi_vector"
    SequenceClassification = "sequence_classification"
    TokenClassification = "token_classification"
    ZeroShotClassification = "zero_shot_classification"
    ZeroShotNer = "zero_shot_ner"
    QuestionAnswering = "question_answering"
    FillMask = "fill_mask"
    ImageClassification = "image_classification"
    ImageEmbedding = "image_embedding"
    ImageSegmentation = "image_segmentation"
    ObjectDetection = "object_detection"
    ImageTextEmbedding = "image_text_embedding"
    ZeroShotImageClassification = "zero_shot_image_classification"


class TokenizerTruncationSide(_Words):
    """Side on which long texts are truncated."""

    Left = "left"
    Right = "right"


class TokenizerTruncationStrategy(_Words):
    """How pairs of texts are truncated."""

    LongestFirst = "longest_first"
    OnlyFirst = "only_first"
    OnlySecond = "only_second"


@dataclass(frozen=True)
class BatchLongest:
    """Padding to the longest text of a batch. Padding never changes results."""


@dataclass(frozen=True)
class Fixed:
    """Padding to a fixed number of tokens. Padding never changes results."""

    n: int


class TokenizerBuildConfig:
    """Settings of the tokenizer, as in the `tokenizer` section of a config file."""

    def __init__(
        self,
        *,
        pad_strategy: Union[BatchLongest, Fixed, None] = None,
        truncation_side: Optional[str] = None,
        truncation_strategy: Optional[str] = None,
        max_length: Optional[int] = None,
        stride: Optional[int] = None,
    ) -> None:
        if pad_strategy is not None and not isinstance(pad_strategy, (BatchLongest, Fixed)):
            raise TypeError(
                f"pad_strategy must be BatchLongest() or Fixed(n=...). Received: {type(pad_strategy).__name__!r}"
            )
        self.pad_strategy = pad_strategy
        self.truncation_side = truncation_side
        self.truncation_strategy = truncation_strategy
        self.max_length = max_length
        self.stride = stride

    def _settings(self) -> Dict[str, Any]:
        pad: Any = None
        if isinstance(self.pad_strategy, Fixed):
            pad = {"fixed": self.pad_strategy.n}
        elif self.pad_strategy is not None:
            pad = "batch_longest"
        fields = {
            "pad_strategy": pad,
            "truncation_side": self.truncation_side,
            "truncation_strategy": self.truncation_strategy,
            "max_length": self.max_length,
            "stride": self.stride,
        }
        return {name: value for name, value in fields.items() if value is not None}


class TargetSpec:
    """A target triple, for example `x86_64-unknown-linux-gnu`."""

    def __init__(self, spec: str) -> None:
        parts = spec.split("-")
        if len(parts) < 3:
            raise ConfigError(f"{spec!r} is not a target triple. Use for example x86_64-unknown-linux-gnu.")
        self.arch = parts[0]
        """Architecture, for example `aarch64`."""
        self.os = "-".join(parts[1:-1])
        """Operating system, for example `apple` or `unknown-linux`."""
        self.abi = parts[-1]
        """ABI, for example `darwin` or `gnu`."""

    def __str__(self) -> str:
        return f"{self.arch}-{self.os}-{self.abi}"


class EncoderfileBuilder:
    """Builds an executable from a model folder and settings. `encoderfile.build` is the shorter way."""

    def __init__(
        self,
        *,
        name: str,
        model_type: str,
        path: Path,
        version: Optional[str] = None,
        output_path: Optional[Path] = None,
        cache_dir: Optional[Path] = None,
        base_binary_path: Optional[Path] = None,
        transform: Optional[str] = None,
        lua_libs: Optional[List[str]] = None,
        tokenizer: Optional[TokenizerBuildConfig] = None,
        validate_transform: bool = True,
        target: Union[str, TargetSpec, None] = None,
    ) -> None:
        known = [str(kind) for kind in ModelType]
        if str(model_type) not in known:
            raise ConfigError(f"Invalid model type {str(model_type)!r}. Model types: {', '.join(known)}.")
        self._config: Optional[Path] = None
        self._source: Optional[Path] = path
        self._output: Optional[Path] = output_path if output_path is not None else f"{name}.encoderfile"
        self._settings: Dict[str, Any] = {
            "name": name,
            "version": version,
            "model_type": str(model_type),
            "transform": _transform_text(transform),
            "lua_libs": lua_libs,
            "validate_transform": None if validate_transform else False,
            "tokenizer": None if tokenizer is None else tokenizer._settings() or None,
        }
        self._flags: Dict[str, Any] = {
            "cache_dir": cache_dir,
            "base_binary_path": base_binary_path,
            "platform": None if target is None else str(target),
        }

    @classmethod
    def from_config(cls, config_path: Path) -> "EncoderfileBuilder":
        """Creates a builder from a config file. `build` reads and checks the file."""
        if not os.path.isfile(config_path):
            raise MissingFileError(f"No such config file: {os.fspath(config_path)}.")
        builder = cls.__new__(cls)
        builder._config = config_path
        builder._source = None
        builder._output = None
        builder._settings = {}
        builder._flags = {}
        return builder

    def build(
        self,
        workdir: Optional[Path] = None,
        version: Optional[str] = None,
        no_download: bool = False,
        *,
        runtime_version: Optional[str] = None,
        force: bool = False,
    ) -> Encoderfile:
        """
        Builds the executable and returns it.

        Args:
            workdir: Ignored; temporary files are next to the output.
            version: Version of the base runtime; also `runtime_version`.
            no_download: Do not download a base runtime.
            force: Replace a file that was built from another model or was not built by encoderfile.
        """
        info = run_build(
            config=self._config,
            source=self._source,
            settings=self._settings,
            output=self._output,
            flags={
                **self._flags,
                "runtime_version": runtime_version if version is None else version,
                "no_download": no_download,
                "force": force,
            },
        )
        return _built(info)


def _transform_text(transform: Optional[str]) -> Optional[str]:
    """A transform can be Lua source or the path of a file with it."""
    if transform is None or "\n" in transform or not os.path.isfile(transform):
        return transform
    return _read_text(transform)


def _read_text(path: Path) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        raise MissingFileError(f"No such transform: {os.fspath(path)}.") from None


def _built(info: Info) -> Encoderfile:
    encoder = Encoderfile(info.path)
    encoder._info = info
    return encoder


def build(
    source: Optional[Path] = None,
    *,
    output: Optional[Path] = None,
    quantize: Optional[str] = None,
    distill: Optional[str] = None,
    model_type: Optional[str] = None,
    variant: Optional[str] = None,
    platform: Optional[str] = None,
    offline: bool = False,
    force: bool = False,
    cache_dir: Optional[Path] = None,
    base_binary_path: Optional[Path] = None,
    no_download: bool = False,
    verbose: bool = False,
    name: Optional[str] = None,
    version: Optional[str] = None,
    transform_str: Optional[str] = None,
    transform_path: Optional[Path] = None,
    settings: Optional[Dict[str, Any]] = None,
    path: Optional[Path] = None,
    output_path: Optional[Path] = None,
    lua_libs: Optional[List[str]] = None,
    tokenizer_pad_to: Union[str, int, None] = None,
    tokenizer_truncation_side: Optional[str] = None,
    tokenizer_truncation_strategy: Optional[str] = None,
    tokenizer_max_length: Optional[int] = None,
    tokenizer_stride: Optional[int] = None,
    validate_transform: bool = True,
    target: Union[str, TargetSpec, None] = None,
    workdir: Optional[Path] = None,
) -> Encoderfile:
    """
    Builds a model into an executable and returns it.

    Args:
        source: Model folder, model file, or Hugging Face Hub model such as `hf:org/name`.
        output: Path of the executable. Default: `<name>.encoder` in the current folder.
        quantize: `int8`, `bf16`, `auto` or `none`.
        distill: `static`, `both` or `none`.
        model_type: Model type. Default: detected from the model's files.
        variant: ONNX graph to use, for example `fp16`.
        platform: Target platform, for example `linux-arm64`. Default: this machine.
        offline: Do not use the network.
        force: Replace a file that was built from another model or was not built by encoderfile.
        cache_dir: Cache folder for base runtimes.
        base_binary_path: Base runtime to use.
        no_download: Do not download a base runtime.
        verbose: Print the progress to stderr.
        name: Name of the model.
        version: Version of the model.
        transform_str: Lua source of a transform.
        transform_path: File with the Lua source of a transform.
        settings: Other fields of a config file, for example `{"pooling": "cls"}`. Settings require `name` and `model_type`.
        path: The model, as in the Rust encoderfile's package. The default output is then `<name>.encoderfile`.
        output_path: Another name for `output`.
        target: Another name for `platform`.
        lua_libs, tokenizer_*, validate_transform: As in the Rust encoderfile's package.
        workdir: Ignored; temporary files are next to the output.
    """
    if transform_str is not None and transform_path is not None:
        raise ConfigError("transform_str and transform_path cannot be combined. Pass one of them.")
    if source is not None and path is not None:
        raise ConfigError("source and path cannot be combined. Pass one of them.")
    output = output if output is not None else output_path
    if output is None and path is not None and name is not None:
        output = f"{name}.encoderfile"
    tokenizer = TokenizerBuildConfig(
        pad_strategy=_pad_strategy(tokenizer_pad_to),
        truncation_side=tokenizer_truncation_side,
        truncation_strategy=tokenizer_truncation_strategy,
        max_length=tokenizer_max_length,
        stride=tokenizer_stride,
    )
    fields: Dict[str, Any] = {
        "name": name,
        "version": version,
        "transform": transform_str if transform_path is None else _read_text(transform_path),
        "lua_libs": lua_libs,
        "validate_transform": None if validate_transform else False,
        "tokenizer": tokenizer._settings() or None,
        **(settings or {}),
    }
    fields = {key: value for key, value in fields.items() if value is not None}
    kind = None if model_type is None else str(model_type)
    if fields and kind is not None:
        fields["model_type"] = kind
    info = run_build(
        source=path if source is None else source,
        settings=fields,
        output=output,
        flags={
            "quantize": quantize,
            "distill": distill,
            "model_type": None if fields else kind,
            "variant": variant,
            "platform": platform if target is None else str(target),
            "offline": offline,
            "force": force,
            "cache_dir": cache_dir,
            "base_binary_path": base_binary_path,
            "no_download": no_download,
        },
        verbose=verbose,
    )
    return _built(info)


def _pad_strategy(pad_to: Union[str, int, None]) -> Union[BatchLongest, Fixed, None]:
    if pad_to is None:
        return None
    if pad_to == "batch_longest":
        return BatchLongest()
    if isinstance(pad_to, int):
        return Fixed(n=pad_to)
    raise ConfigError(f"tokenizer_pad_to must be an integer or \"batch_longest\", not {pad_to!r}.")


def build_from_config(
    config_path: Path,
    workdir: Optional[Path] = None,
    no_download: bool = False,
    *,
    output: Optional[Path] = None,
    force: bool = False,
    verbose: bool = False,
) -> Encoderfile:
    """
    Builds the executable that a config file describes, and returns it.

    Args:
        config_path: Config file (YAML).
        workdir: Ignored; temporary files are next to the output.
        no_download: Do not download a base runtime.
        output: Path of the executable. Default: `output_path` in the config file.
        force: Replace a file that was built from another model or was not built by encoderfile.
        verbose: Print the progress to stderr.
    """
    flags = {"no_download": no_download, "force": force}
    info = run_build(config=config_path, output=output, flags=flags, verbose=verbose)
    return _built(info)


@dataclass(frozen=True)
class ModelConfig:
    """Facts from the model's config.json."""

    model_type: str
    num_labels: Optional[int]
    id2label: Optional[Dict[int, str]]
    label2id: Optional[Dict[str, int]]


@dataclass(frozen=True)
class EncoderfileConfig:
    """Settings of the build."""

    name: str
    version: str
    model_type: str
    transform: Optional[str]
    lua_libs: Optional[List[str]]


@dataclass(frozen=True)
class InspectInfo:
    """Result of `read_metadata`."""

    model_config: ModelConfig
    encoderfile_config: EncoderfileConfig


def read_metadata(path: Path) -> InspectInfo:
    """Reads facts about an executable, without running it. `inspect` returns more of them."""
    info = inspect(path)
    model: Dict[str, Any] = info.raw.get("model") or {}
    if not model:
        raise ConfigError(f"{os.fspath(path)} does not contain a model.")
    sections = {section["name"]: section for section in info.raw["sections"]}
    config: Dict[str, Any] = json.loads(_read_section(info, sections.get("config")) or "{}")
    labels = None if info.labels is None else dict(enumerate(info.labels))
    libraries = (model.get("transform") or {}).get("libraries")
    return InspectInfo(
        model_config=ModelConfig(
            model_type=config.get("model_type", ""),
            num_labels=None if labels is None else len(labels),
            id2label=labels,
            label2id=None if labels is None else {label: index for index, label in labels.items()},
        ),
        encoderfile_config=EncoderfileConfig(
            name=info.name,
            version=info.version,
            model_type=info.model_type,
            transform=_read_section(info, sections.get("transform")),
            lua_libs=libraries or None,
        ),
    )


def _read_section(info: Info, section: Optional[Dict[str, Any]]) -> Optional[str]:
    if section is None:
        return None
    with open(info.path, "rb") as file:
        file.seek(section["offset"])
        return file.read(section["length"]).decode("utf-8")
