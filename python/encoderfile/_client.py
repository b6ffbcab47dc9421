"""Sends requests to a server on this machine."""

from __future__ import annotations

import http.client
import json
import os
import ssl
import threading
from typing import Any, List, Optional
from urllib.parse import urlsplit

from ._errors import ConfigError, EncoderfileError, InputError

_CLASSES = {400: InputError, 413: InputError, 415: InputError, 422: InputError, 404: ConfigError}


class Client:
    """Keeps connections to one server. Any number of threads can use it, and processes that were forked later."""

    def __init__(self, url: str, api_key: Optional[str]) -> None:
        parts = urlsplit(url)
        self._host = parts.hostname or ""
        self._port = parts.port
        self._secure = parts.scheme == "https"
        self._headers = {"Content-Type": "application/json"}
        if api_key:
            self._headers["Authorization"] = f"Bearer {api_key}"
        self._reset()

    def _reset(self) -> None:
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._idle: List[http.client.HTTPConnection] = []

    def request(self, method: str, path: str, body: Any = None) -> Any:
        """Sends a request and returns the JSON of the response."""
        # Escapes everything except ASCII, so that lone surrogates reach the server.
        data = None if body is None else json.dumps(body, allow_nan=False, separators=(",", ":")).encode("ascii")
        status, text = self._exchange(method, path, data)
        if status == 200:
            return json.loads(text)
        message = text.decode("utf-8", "replace").strip() or f"HTTP status {status}"
        raise _CLASSES.get(status, EncoderfileError)(message)

    def _exchange(self, method: str, path: str, data: Optional[bytes]) -> "tuple[int, bytes]":
        if os.getpid() != self._pid:
            # The parent process uses these connections, and one of its threads can hold the lock.
            self._reset()
        with self._lock:
            connection = self._idle.pop() if self._idle else None
        if connection is not None:
            try:
                return self._send(connection, method, path, data)
            except (http.client.RemoteDisconnected, ConnectionError):
                # The server closes idle connections after a while. A new connection shows whether it is still running.
                pass
        return self._send(self._connect(), method, path, data)

    def _connect(self) -> http.client.HTTPConnection:
        if self._secure:
            return http.client.HTTPSConnection(self._host, self._port, context=ssl.create_default_context())
        return http.client.HTTPConnection(self._host, self._port)

    def _send(
        self, connection: http.client.HTTPConnection, method: str, path: str, data: Optional[bytes]
    ) -> "tuple[int, bytes]":
        try:
            connection.request(method, path, data, self._headers)
            response = connection.getresponse()
            text = response.read()
        except BaseException:
            connection.close()
            raise
        if response.will_close:
            connection.close()
        else:
            with self._lock:
                self._idle.append(connection)
        return response.status, text

    def close(self) -> None:
        """Closes idle connections."""
        if os.getpid() != self._pid:
            return
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()
