"""The class `Encoderfile`, and `build`."""

from __future__ import annotations

import base64
import os
import secrets
import threading
from typing import Any, Dict, Iterable, Iterator, List, Literal, Mapping, Optional, Union

from ._errors import ConfigError, InputError
from ._info import VECTOR_TYPES, Info, Path, existing_file, inspect
from ._server import Server

Image = Union[bytes, bytearray, "os.PathLike[str]"]

# Large enough to keep all threads of the server busy, and small enough not to hold a huge list in memory twice.
_MAX_INPUTS = 512
_MAX_BYTES = 4_000_000

# Types whose inputs are images; a string is the path of one.
_IMAGE_TYPES = (
    "image_classification",
    "image_embedding",
    "image_segmentation",
    "object_detection",
    "zero_shot_image_classification",
)


class Encoderfile:
    """
    A model executable. `embed` and `predict` start the executable on first use and keep it running until `close()`, the end of a
    `with` block, or the end of Python. All methods can be called from several threads.
    """

    def __init__(self, file: Path, **server_options: Any) -> None:
        """
        Args:
            file: Path of an executable that encoderfile has built for this platform.
            **server_options: Options of `serve` for `embed` and `predict`, for example `threads=1` or `result_cache=10_000_000`.
        """
        self._path = existing_file(file)
        self._options = server_options
        self._info: Optional[Info] = None
        self._server: Optional[Server] = None
        self._pid = os.getpid()
        self._lock = threading.Lock()

    @property
    def path(self) -> str:
        """Absolute path of the executable."""
        return self._path

    @property
    def info(self) -> Info:
        """Facts about the model."""
        if self._info is None:
            self._info = inspect(self._path)
        return self._info

    @property
    def model_type(self) -> str:
        """Model type, for example `sentence_embedding`."""
        return self.info.model_type

    def embed(
        self,
        inputs: Iterable[Union[str, Image]],
        *,
        normalize: Optional[bool] = None,
        dimensions: Optional[int] = None,
        prompt_name: Optional[str] = None,
        prompt: Optional[str] = None,
        input_type: Optional[Literal["query", "document"]] = None,
        pooling: Literal["mean", "none"] = "mean",
        **options: Any,
    ) -> Any:
        """
        Returns the vector of each input, in order, as NumPy arrays (float32) if NumPy is installed, otherwise as lists.

        `sentence_embedding`, `image_embedding` and `image_text_embedding` return one vector per input. `embedding` returns the mean of
        the token vectors, or with `pooling="none"` an array of token vectors per text. `multi_vector` returns an array of token vectors
        per text. `sparse_embedding` returns a dictionary with `indices` and `values` per text.

        Args:
            inputs: Texts. For models that read images: bytes of image files, or paths (`pathlib.Path`).
            normalize: Whether to divide each vector by its length. Default: the model's setting; False for `embedding`.
            dimensions: Number of leading dimensions to keep.
            prompt_name: Name of the prompt to prepend to each text.
            prompt: Text to prepend to each text.
            input_type: Whether the texts are queries or documents; required for `multi_vector`.
            pooling: Only for `embedding`: `mean` or `none`.
            **options: Other fields of `POST /predict`, for example `instruction`, `task`, `stage` or `outputs`.
        """
        kind = self._require(True)
        fields = {
            "normalize": normalize,
            "dimensions": dimensions,
            "prompt_name": prompt_name,
            "prompt": prompt,
            "input_type": input_type,
            **options,
        }
        if kind == "embedding":
            fields["normalize"] = bool(normalize)
        elif pooling != "mean":
            raise InputError(f"pooling requires a model of type embedding; {self.info.name} is of type {kind}.")
        if kind == "embedding" and pooling == "mean":
            results = [entry["embedding"] for entry in self._run_openai(inputs, fields)]
        else:
            results = [_vector_of(kind, result) for result in self._run(inputs, fields)]
        return self._as_arrays(kind, pooling, results, dimensions, options)

    def predict(self, inputs: Iterable[Any], **options: Any) -> List[Dict[str, Any]]:
        """
        Returns the result for each input, in order: the entries of `results` of `POST /predict`, for example `predicted_label` and
        `scores` for `sequence_classification`.

        Args:
            inputs: Texts, pairs of texts, dictionaries with `question` and `context`, or images, depending on the model type.
            **options: Other fields of the request, for example `aggregation`, `candidate_labels`, `labels` or `top_k`.
        """
        self._require(False)
        return list(self._run(inputs, options))

    def serve(
        self,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        grpc_port: Optional[int] = None,
        api_key: Optional[str] = None,
        **options: Any,
    ) -> Server:
        """
        Starts the executable as a server for other programs, on a free port by default, and returns it. Use it in a `with` statement.

        Args:
            host: Address to listen on; `0.0.0.0` for all addresses of the machine.
            port: HTTP port; 0 selects a free port.
            grpc_port: gRPC port; 0 selects a free port. Default: no gRPC.
            api_key: Key that clients must send. Default: clients do not need a key.
            **options: Other options of `serve`, for example `workers=2` for `--workers 2`.
        """
        self._check_type()
        return Server(
            self._path, host=host, port=port, grpc_port=grpc_port, api_key=api_key, options=options
        )

    def close(self) -> None:
        """Stops the process that `embed` and `predict` use. They start it again if they are called later."""
        with self._current_lock():
            server, self._server = self._server, None
        if server is not None:
            server.stop()

    def __enter__(self) -> "Encoderfile":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Encoderfile({self._path!r})"

    def __fspath__(self) -> str:
        return self._path

    def _check_type(self) -> str:
        kind = self.info.model_type
        if not kind:
            raise ConfigError(f"{self._path} does not contain a model. Build one with encoderfile.build().")
        return kind

    def _require(self, vectors: bool) -> str:
        kind = self._check_type()
        if (kind in VECTOR_TYPES) == vectors:
            return kind
        wrong, right = ("embed", "predict") if vectors else ("predict", "embed")
        raise InputError(f"{self.info.name} is of type {kind}. Use {right}() instead of {wrong}().")

    def _current_lock(self) -> threading.Lock:
        if self._pid != os.getpid():
            # This is a forked process, in which the lock can be held by a thread that does not exist.
            self._pid, self._lock = os.getpid(), threading.Lock()
        return self._lock

    def _running(self) -> Server:
        with self._current_lock():
            if self._server is None or not self._server.running:
                options = {
                    "max_queue": 1_000_000,
                    "max_body": 256_000_000,
                    "shutdown_timeout": "5s",
                    **self._options,
                }
                self._server = Server(
                    self._path,
                    host="127.0.0.1",
                    port=0,
                    grpc_port=None,
                    # Other users of this machine can reach the port.
                    api_key=secrets.token_urlsafe(32),
                    options=options,
                )
            return self._server

    def _run(self, inputs: Iterable[Any], fields: Mapping[str, Any]) -> Iterator[Any]:
        """Sends the inputs in requests of limited size, so that they can be of any number."""
        for batch in self._batches(inputs):
            body = {**_without_none(fields), "inputs": batch}
            yield from self._running().post("/predict", body)["results"]

    def _run_openai(self, inputs: Iterable[Any], fields: Mapping[str, Any]) -> Iterator[Any]:
        """This route returns the mean of the token vectors."""
        for batch in self._batches(inputs):
            body = {**_without_none(fields), "input": batch}
            yield from self._running().post("/v1/embeddings", body)["data"]

    def _batches(self, inputs: Iterable[Any]) -> Iterator[List[Any]]:
        if isinstance(inputs, (str, bytes, bytearray, dict)):
            raise InputError(f"The inputs must be a list, not a single {type(inputs).__name__}. Pass [input].")
        kind = self.info.model_type
        batch: List[Any] = []
        size = 0
        for index, value in enumerate(inputs):
            converted = _input_of(kind, value, index)
            length = _size_of(converted)
            if batch and (len(batch) == _MAX_INPUTS or size + length > _MAX_BYTES):
                yield batch
                batch, size = [], 0
            batch.append(converted)
            size += length
        if batch:
            yield batch

    def _as_arrays(
        self, kind: str, pooling: str, results: List[Any], dimensions: Optional[int], options: Mapping[str, Any]
    ) -> Any:
        if "outputs" in options:
            return results
        try:
            import numpy
        except ImportError:
            return results
        if kind == "sparse_embedding":
            return [
                {
                    **result,
                    "indices": numpy.asarray(result["indices"], numpy.int64),
                    "values": numpy.asarray(result["values"], numpy.float32),
                }
                for result in results
            ]
        if kind == "multi_vector" or pooling == "none":
            width = self.info.dimensions or 0
            return [numpy.asarray(result, numpy.float32).reshape(-1, width) for result in results]
        if not results:
            return numpy.empty((0, dimensions or self.info.dimensions or 0), numpy.float32)
        return numpy.asarray(results, numpy.float32)


def _without_none(fields: Mapping[str, Any]) -> Dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _vector_of(kind: str, result: Dict[str, Any]) -> Any:
    if kind == "embedding":
        return [token["embedding"] for token in result["embeddings"]]
    if kind == "multi_vector":
        return result["vectors"]
    # Sparse vectors, and the selected outputs of models with several.
    return result["embedding"] if list(result) == ["embedding"] else result


def _input_of(kind: str, value: Any, index: int) -> Any:
    """Converts an input to JSON."""
    if kind in _IMAGE_TYPES:
        return _image(value, index)
    if isinstance(value, (bytes, bytearray, os.PathLike)):
        if kind != "image_text_embedding":
            raise InputError(f"Input {index} is an image, but this model only reads texts.")
        return {"image": _image(value, index)}
    if kind == "image_text_embedding":
        # A string that is a data URL would be read as an image.
        return {"text": value} if isinstance(value, str) else value
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, (str, list, dict)):
        return value
    raise InputError(f"Input {index} must be a text, not {type(value).__name__}.")


def _image(value: Any, index: int) -> str:
    if isinstance(value, (str, os.PathLike)):
        path = existing_image(value)
        with open(path, "rb") as file:
            value = file.read()
    if not isinstance(value, (bytes, bytearray)):
        raise InputError(f"Input {index} must be the path or the bytes of an image, not {type(value).__name__}.")
    return base64.b64encode(value).decode("ascii")


def existing_image(path: Path) -> str:
    """Returns the path of an image. Raises an InputError if it does not exist."""
    if os.path.isfile(path):
        return os.fspath(path)
    raise InputError(f"No such image: {os.fspath(path)}.")


def _size_of(value: Any) -> int:
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        return sum(_size_of(part) for part in value.values())
    if isinstance(value, list):
        return sum(_size_of(part) for part in value)
    return 8
