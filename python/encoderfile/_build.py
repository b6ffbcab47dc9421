"""Builds executables."""

from __future__ import annotations

import json
import os
from typing import Any, Dict, List, Mapping, Optional

from ._errors import ConfigError, EncoderfileError, MissingFileError
from ._info import Info, Path, info_of, inspect
from ._tool import run_tool


def run_build(
    *,
    source: Optional[Path] = None,
    config: Optional[Path] = None,
    settings: Mapping[str, Any] = {},
    output: Optional[Path] = None,
    flags: Mapping[str, Any] = {},
    verbose: bool = False,
) -> Info:
    """Runs `encoderfile build` and returns the facts about the new executable."""
    args: List[str] = []
    stdin = None
    if config is not None:
        if source is not None or settings:
            raise ConfigError("A config file cannot be combined with a model or with settings. Pass one of them.")
        args.append(f"--config={os.path.abspath(os.fspath(config))}")
    elif source is None:
        raise ConfigError("No model. Pass a folder, a model file or a Hugging Face Hub model such as hf:org/name.")
    elif settings:
        args.append("--config=-")
        stdin = _config_text({"path": _location(source), **settings})
        if not flags.get("force") and _has_model(output, settings.get("name")):
            args.append("--force")
    for name, value in flags.items():
        flag = "--" + name.replace("_", "-")
        if value is True:
            args.append(flag)
        elif value is not None and value is not False:
            args.append(f"{flag}={os.fspath(value) if isinstance(value, os.PathLike) else value}")
    if output is not None:
        args.append(f"--output-path={os.path.abspath(os.fspath(output))}")
    if source is not None and stdin is None:
        args += ["--", _location(source)]
    try:
        result: Dict[str, Any] = run_tool("build", args, stdin=stdin, verbose=verbose)
    except EncoderfileError as error:
        missing = [file for file in (source, config) if file is not None and not _exists(file)]
        if missing and isinstance(error, ConfigError):
            raise MissingFileError(str(error)) from None
        raise type(error)(str(error).replace("Pass --force to", "Pass force=True to")) from None
    manifest = result["manifest"]
    raw = {"file": result["path"], "bytes": result["bytes"], "model": manifest}
    return info_of(os.path.abspath(result["path"]), result["bytes"], result["platform"], raw)


def _has_model(output: Optional[Path], name: Any) -> bool:
    """Whether a file is an executable of a model, which a new build of this model replaces."""
    if output is None or not os.path.isfile(output):
        return False
    try:
        return inspect(output).name == str(name)
    except EncoderfileError:
        return False


def _is_hub_model(source: Path) -> bool:
    return isinstance(source, str) and source.startswith("hf:")


def _exists(source: Path) -> bool:
    return _is_hub_model(source) or os.path.exists(source)


def _location(source: Path) -> str:
    return str(source) if _is_hub_model(source) else os.path.abspath(os.fspath(source))


def _config_text(fields: Mapping[str, Any]) -> str:
    """The text of a config file. JSON is also YAML."""
    missing = [name for name in ("name", "model_type") if fields.get(name) is None]
    if missing:
        raise ConfigError(
            f"{missing[0]} is missing. With settings of a config file, name and model_type are required."
        )
    known = {name: value for name, value in fields.items() if value is not None}
    return json.dumps({"encoderfile": known}, ensure_ascii=False, allow_nan=False, default=os.fspath)
