"""A server process that cannot outlive this one."""

from __future__ import annotations

import collections
import errno
import json
import os
import re
import subprocess
import threading
import weakref
from typing import Any, Deque, Dict, Optional, Sequence

from ._errors import ServerError
from ._tool import WINDOWS_FLAGS

# Variables that would change where and how a server listens. The package sets all of this itself.
_OWN_VARIABLES = frozenset(
    f"ENCODERFILE_{name}"
    for name in (
        "ALLOWED_HOSTS API_KEY API_KEY_FILE CERT_FILE CORS_ORIGINS DISABLE_GRPC DISABLE_HTTP GRPC_HOSTNAME GRPC_PORT "
        "HTTP_HOSTNAME HTTP_PORT KEY_FILE LOCAL LOG_LEVEL SHUTDOWN_DELAY SHUTDOWN_TIMEOUT STOP_WITH_STDIN"
    ).split()
)

# pino's number for the level `warn`.
_WARN = 40

_ADDRESS = re.compile(r"^ +(HTTP|gRPC) +(\S+)")

_live: "weakref.WeakSet[ServerProcess]" = weakref.WeakSet()


class ServerProcess:
    """
    An executable that runs `serve`. Its stdin is a pipe, and it stops when the pipe is closed: by `stop`, or by the operating
    system when this process exits or is killed.
    """

    def __init__(self, path: str, args: Sequence[str], env: Dict[str, str]) -> None:
        self.name = os.path.basename(path)
        self.addresses: Dict[str, str] = {}
        self.owner = os.getpid()
        self._lost = False
        self._lines: Deque[str] = collections.deque(maxlen=20)
        self._ready = threading.Event()
        inherited = {name: value for name, value in os.environ.items() if name.upper() not in _OWN_VARIABLES}
        try:
            self._child = subprocess.Popen(
                [path, "serve", "--stop-with-stdin", *args],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                env={**inherited, **env},
                # Ctrl+C in a terminal is for Python, which can catch it.
                start_new_session=os.name != "nt",
                creationflags=WINDOWS_FLAGS | getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
            )
        except OSError as error:
            raise ServerError(_start_problem(path, error)) from error
        self.pid = self._child.pid
        # Closing the pipe is enough to stop the server, so this is safe in a garbage collection and at exit.
        self.release = weakref.finalize(self, _close, self._child.stdin, self.owner)
        self._reader = threading.Thread(
            target=_read_lines,
            args=(self._child, self._lines, self.addresses, self._ready),
            name=f"encoderfile {self.name}",
            daemon=True,
        )
        self._reader.start()
        _live.add(self)
        try:
            self._ready.wait()
        except BaseException:
            self.stop()
            raise
        if "HTTP" not in self.addresses:
            self.stop()
            raise ServerError(self.problem("could not be started"))

    def is_running(self) -> bool:
        """Whether the server is running. A forked process can only find out by sending a request."""
        return not self._lost and (self.owner != os.getpid() or self._child.poll() is None)

    def has_exited(self) -> bool:
        """Whether a failed request was caused by the end of the server, which the system reports a moment later."""
        if self.owner != os.getpid():
            self._lost = True
            return False
        try:
            self._child.wait(1)
        except subprocess.TimeoutExpired:
            return False
        return True

    def problem(self, what: str) -> str:
        """A sentence with the cause, for an error message."""
        self._reader.join(timeout=5)
        code = self._child.poll()
        cause = _last_sentence(self._lines)
        if cause is None and code is not None:
            cause = f"it was terminated by signal {-code}" if code < 0 else f"it exited with code {code}"
        return f"The server of {self.name} {what}" + (f": {cause}" if cause else ".")

    def stop(self, timeout: float = 10) -> None:
        """Completes accepted requests and stops the server. In a forked process, the server keeps running."""
        if self.owner != os.getpid():
            return
        self.release()
        for end in (self._child.terminate, self._child.kill):
            try:
                self._child.wait(timeout)
                break
            except subprocess.TimeoutExpired:
                end()
        self._child.wait()
        self._reader.join(timeout=5)

    def forget_pipe(self) -> None:
        """Closes the pipe in a forked process, so that the server ends with the process that started it."""
        if self._child.stdin is not None:
            _discard(self._child.stdin)


def _close(pipe: Any, owner: int) -> None:
    # A forked process that exits must not stop the server of its parent. Its copy of the pipe is already closed.
    if os.getpid() == owner:
        _discard(pipe)


def _discard(pipe: Any) -> None:
    try:
        pipe.close()
    except OSError:
        pass


def _forget_pipes() -> None:
    for process in list(_live):
        process.forget_pipe()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_pipes)


def _read_lines(
    child: "subprocess.Popen[bytes]", lines: Deque[str], addresses: Dict[str, str], ready: threading.Event
) -> None:
    """Reads the log until the server exits. Without a reader, a server with a full pipe would stop."""
    assert child.stderr is not None
    try:
        for raw in child.stderr:
            line = raw.decode("utf-8", "replace").rstrip()
            found = None if ready.is_set() else _ADDRESS.match(line)
            if found:
                addresses[found[1]] = found[2]
            elif line:
                lines.append(line)
            # The banner ends with an empty line after the addresses.
            if addresses and not line:
                ready.set()
    finally:
        child.stderr.close()
        child.wait()
        ready.set()


def _last_sentence(lines: Sequence[str]) -> Optional[str]:
    """The last warning or error of a log, without its format."""
    for line in reversed(lines):
        if line.startswith("Error: "):
            return line[len("Error: ") :]
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, dict) and entry.get("level", 0) >= _WARN:
            return str(entry.get("msg"))
    return None


def _start_problem(path: str, error: OSError) -> str:
    if error.errno == errno.EACCES:
        return f"{path} cannot be executed. Run chmod +x on it, or copy it to a file system that allows execution."
    if error.errno == errno.ENOEXEC or getattr(error, "winerror", None) == 193:
        return f"{path} was built for another platform. Build it for this one with encoderfile.build()."
    return f"{path} could not be started: {error.strerror}."
