"""Facts about an executable."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Union

from ._errors import MissingFileError
from ._tool import run_tool

Path = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class Info:
    """Facts about a model executable, from `encoderfile inspect`."""

    path: str
    """Absolute path of the file."""
    size: int
    """Size of the file in bytes."""
    name: str
    """Name of the model."""
    version: str
    """Version of the model."""
    model_type: str
    """Model type, for example `sentence_embedding`."""
    platform: str
    """Target triple of the system that the file runs on."""
    precision: str
    """Precision of the weights, for example `float32`."""
    max_length: Optional[int]
    """Maximum number of tokens per text; None for models that only read images."""
    dimensions: Optional[int]
    """Number of dimensions of a vector; None for models that do not return vectors."""
    labels: Optional[List[str]]
    """Labels in the order of their indexes; None for models without labels."""
    raw: Dict[str, Any] = field(repr=False)
    """All facts, as printed by `encoderfile inspect --json`; after a build, without the list of sections."""


def inspect(file: Path) -> Info:
    """Reads the facts about a model executable for any platform, without running it."""
    path = existing_file(file)
    result: Dict[str, Any] = run_tool("inspect", [path])
    return info_of(path, result["bytes"], result["runtime"]["platform"], result)


def existing_file(file: Path) -> str:
    """Returns the absolute path of a file. Raises a MissingFileError if it does not exist."""
    path = os.path.abspath(os.fspath(file))
    if not os.path.exists(path):
        raise MissingFileError(f"No such file: {os.fspath(file)}. Pass an executable that encoderfile has built.")
    return path


def info_of(path: str, size: int, platform: str, raw: Dict[str, Any]) -> Info:
    """Creates the facts from the result of `inspect`."""
    # A file without a model is a base runtime, for example the build tool itself.
    model: Dict[str, Any] = raw.get("model") or {}
    labels = model.get("id2label")
    return Info(
        path=path,
        size=size,
        name=model.get("name", ""),
        version=model.get("version", ""),
        model_type=model.get("modelType", ""),
        platform=platform,
        precision=model.get("precision", ""),
        max_length=(model.get("tokenizer") or {}).get("maxLength"),
        dimensions=_dimensions(model),
        labels=None if labels is None else [labels[key] for key in sorted(labels, key=int)],
        raw=raw,
    )


VECTOR_TYPES = (
    "embedding",
    "sentence_embedding",
    "sparse_embedding",
    "multi_vector",
    "image_embedding",
    "image_text_embedding",
)


def _dimensions(model: Dict[str, Any]) -> Optional[int]:
    if model.get("modelType") not in VECTOR_TYPES:
        return None
    width: int = model.get("width", 0)
    sentence = model.get("sentence") or {}
    if "dimensions" in sentence:
        return int(sentence["dimensions"])
    if isinstance(sentence.get("pooling"), list):
        width *= len(sentence["pooling"])
    for layer in sentence.get("layers") or []:
        if layer.get("kind") == "dense":
            width = int(layer["outputs"])
    return width
