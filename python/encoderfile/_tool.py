"""Finds and runs the build tool that the wheel contains."""

from __future__ import annotations

import importlib.metadata
import json
import os
import subprocess
import sys
import sysconfig
from typing import Any, Iterator, List, Optional, Sequence

from ._errors import EncoderfileError, error_of

_NAME = "encoderfile.exe" if os.name == "nt" else "encoderfile"

# Without this flag, Windows opens a console window for programs without one.
WINDOWS_FLAGS = getattr(subprocess, "CREATE_NO_WINDOW", 0)


def tool_path() -> str:
    """Returns the path of the build tool. Raises an EncoderfileError if it is not installed."""
    for path in _candidates():
        if os.path.isfile(path):
            return path
    raise EncoderfileError(
        "The encoderfile executable is missing from this Python environment. "
        "Reinstall the package: pip install --force-reinstall encoderfile"
    )


def _candidates() -> Iterator[str]:
    # The metadata of the installation has the exact path, also for overlays such as those of `uv run --with`.
    try:
        files = importlib.metadata.distribution("encoderfile").files or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.name == _NAME and file.parts[0] != "encoderfile":
            yield os.path.normpath(os.fspath(file.locate()))
    # `pip install --target FOLDER` moves scripts to FOLDER/bin, but does not change the metadata.
    yield os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "bin", _NAME)
    yield os.path.join(sysconfig.get_path("scripts"), _NAME)


def run_tool(
    command: str, args: Sequence[str], *, stdin: Optional[str] = None, verbose: bool = False
) -> Any:
    """Runs a command of the build tool and returns its JSON result. Arguments are never read by a shell."""
    quiet = [] if verbose else ["--quiet"]
    process = subprocess.Popen(
        [tool_path(), command, "--json", *quiet, *args],
        stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=None if verbose else subprocess.PIPE,
        creationflags=WINDOWS_FLAGS,
    )
    try:
        out, err = process.communicate(None if stdin is None else stdin.encode("utf-8", "surrogatepass"))
    except BaseException:
        _stop(process)
        raise
    return _read_result(command, process.returncode, out, err or b"")


def _stop(process: "subprocess.Popen[bytes]") -> None:
    """Terminates a build, which then removes its temporary files."""
    process.terminate()
    try:
        process.communicate(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()


def _read_result(command: str, code: int, out: bytes, err: bytes) -> Any:
    try:
        result = json.loads(out)
    except ValueError:
        result = None
    error = result.get("error") if isinstance(result, dict) and code != 0 else None
    if isinstance(error, dict):
        raise error_of(str(error.get("code")), str(error.get("message")))
    if code != 0 or result is None:
        raise EncoderfileError(_describe_end(f"encoderfile {command}", code, err.decode("utf-8", "replace")))
    return result


def _describe_end(name: str, code: int, stderr: str) -> str:
    lines = [line for line in stderr.splitlines() if line.strip()]
    cause = f": {lines[-1].strip()}" if lines else "."
    if code < 0:
        return f"{name} was terminated by signal {-code}{cause}"
    return f"{name} failed with exit code {code}{cause}"


def main(argv: Optional[List[str]] = None) -> int:
    """Runs the build tool with the arguments of this process, for `python -m encoderfile`."""
    args = [tool_path(), *(sys.argv[1:] if argv is None else argv)]
    if os.name != "nt":
        os.execv(args[0], args)
    try:
        return subprocess.call(args)
    except KeyboardInterrupt:
        # The build tool has received the same signal.
        return 130
