"""A running executable."""

from __future__ import annotations

import http.client
import weakref
from typing import Any, Dict, List, Optional
from urllib.parse import urlsplit

from ._client import Client
from ._errors import ServerError
from ._process import ServerProcess


class Server:
    """
    An executable that serves HTTP on this machine, from `Encoderfile.serve()`. It stops at the end of its `with` block, on `stop()`,
    and when Python exits or is killed.
    """

    def __init__(
        self,
        path: str,
        *,
        host: str,
        port: int,
        grpc_port: Optional[int],
        api_key: Optional[str],
        options: Dict[str, Any],
    ) -> None:
        args = [f"--http-hostname={host}", f"--http-port={port}", *_flags({"log_level": "warn", **options})]
        args += ["--disable-grpc"] if grpc_port is None else [f"--grpc-hostname={host}", f"--grpc-port={grpc_port}"]
        self.api_key = api_key
        """Key that clients send as a Bearer token, if the server requires one."""
        # Other users of the machine can read arguments, but not variables.
        self._process = ServerProcess(path, args, {} if api_key is None else {"ENCODERFILE_API_KEY": api_key})
        self.url: str = self._process.addresses["HTTP"]
        """Base URL, for example `http://127.0.0.1:41234`."""
        self.grpc_address: Optional[str] = self._process.addresses.get("gRPC")
        """Address for gRPC clients, if gRPC is enabled."""
        self.pid: int = self._process.pid
        """Process ID of the server."""
        self._client = Client(self.url, api_key)
        weakref.finalize(self, self._client.close)

    @property
    def port(self) -> int:
        """HTTP port."""
        return urlsplit(self.url).port or 0

    def get(self, path: str) -> Any:
        """Sends a GET request, for example to `/model`, and returns the JSON of the response."""
        return self._request("GET", path)

    def post(self, path: str, body: Any) -> Any:
        """Sends JSON to a route, for example `/rerank`, and returns the JSON of the response."""
        return self._request("POST", path, body)

    def _request(self, method: str, path: str, body: Any = None) -> Any:
        try:
            return self._client.request(method, path, body)
        except (OSError, http.client.HTTPException) as error:
            if self._process.has_exited():
                raise ServerError(self._process.problem("exited")) from error
            raise ServerError(f"The request to the server of {self._process.name} failed: {error}") from error

    @property
    def running(self) -> bool:
        """Whether the server is running."""
        return self._process.is_running()

    def stop(self) -> None:
        """Completes accepted requests and stops the server."""
        self._client.close()
        self._process.stop()

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"<Server of {self._process.name} at {self.url}>"


def _flags(options: Dict[str, Any]) -> List[str]:
    """Converts options such as `result_cache=1000` to flags. A value cannot be read as another flag."""
    flags = []
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if value is True:
            flags.append(flag)
        elif value is not None and value is not False:
            flags.append(f"{flag}={value}")
    return flags
