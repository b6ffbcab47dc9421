"""Exceptions of this package. Their messages are the sentences of the build tool and of the executables."""

from __future__ import annotations


class EncoderfileError(RuntimeError):
    """Base class of all errors of this package."""


class ConfigError(EncoderfileError, ValueError):
    """A model, a configuration or a file that cannot be used as requested."""


class InputError(EncoderfileError, ValueError):
    """An input or an option that the model rejects."""


class MissingFileError(ConfigError, FileNotFoundError):
    """A file or folder that does not exist."""


class ServerError(EncoderfileError):
    """A server that could not be started, or that exited."""


_BY_CODE = {"ConfigError": ConfigError, "UsageError": ConfigError, "InputError": InputError}


def error_of(code: str, message: str) -> EncoderfileError:
    """Returns the exception for an error of the build tool."""
    return _BY_CODE.get(code, EncoderfileError)(message)
