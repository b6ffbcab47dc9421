"""
Builds encoder models into executables, and runs them.

    import encoderfile

    model = encoderfile.build("hf:sentence-transformers/all-MiniLM-L6-v2")
    vectors = model.embed(["I forgot my login", "Reset your password in Settings"])
"""

from __future__ import annotations

from typing import Any

from ._builder import (
    BatchLongest,
    EncoderfileBuilder,
    EncoderfileConfig,
    Fixed,
    InspectInfo,
    ModelConfig,
    ModelType,
    TargetSpec,
    TokenizerBuildConfig,
    TokenizerTruncationSide,
    TokenizerTruncationStrategy,
    build,
    build_from_config,
    read_metadata,
)
from ._encoder import Encoderfile
from ._errors import ConfigError, EncoderfileError, InputError, MissingFileError, ServerError
from ._info import Info, inspect
from ._server import Server

__all__ = [
    "BatchLongest",
    "ConfigError",
    "Encoderfile",
    "EncoderfileBuilder",
    "EncoderfileConfig",
    "EncoderfileError",
    "Fixed",
    "Info",
    "InputError",
    "InspectInfo",
    "MissingFileError",
    "ModelConfig",
    "ModelType",
    "Server",
    "ServerError",
    "TargetSpec",
    "TokenizerBuildConfig",
    "TokenizerTruncationSide",
    "TokenizerTruncationStrategy",
    "build",
    "build_from_config",
    "inspect",
    "read_metadata",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        import importlib.metadata

        return importlib.metadata.version("encoderfile")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
