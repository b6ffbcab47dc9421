"""LlamaIndex embeddings. Requires `llama-index-core`."""

from __future__ import annotations

import asyncio
import os
from typing import Any, List, Union

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.bridge.pydantic import PrivateAttr

from ._adapter import Texts
from ._encoder import Encoderfile


class EncoderfileEmbedding(BaseEmbedding):
    """
    Vectors of an executable.

        Settings.embed_model = EncoderfileEmbedding("./all-MiniLM-L6-v2.encoder")
    """

    _model: Texts = PrivateAttr()

    def __init__(
        self,
        model: "Union[str, os.PathLike[str], Encoderfile]",
        *,
        embed_options: "dict[str, Any] | None" = None,
        **kwargs: Any,
    ) -> None:
        """
        Args:
            model: Path of an executable, or an `Encoderfile`.
            embed_options: Options of `Encoderfile.embed`, for example `{"normalize": True}`.
            **kwargs: Fields of `BaseEmbedding`, for example `embed_batch_size`.
        """
        texts = Texts(model, embed_options or {})
        super().__init__(**{"model_name": texts.name, "embed_batch_size": 512, **kwargs})
        self._model = texts

    @classmethod
    def class_name(cls) -> str:
        return "EncoderfileEmbedding"

    def _get_query_embedding(self, query: str) -> List[float]:
        return self._model.queries([query])[0]

    def _get_text_embedding(self, text: str) -> List[float]:
        return self._model.documents([text])[0]

    def _get_text_embeddings(self, texts: List[str]) -> List[List[float]]:
        return self._model.documents(texts)

    async def _aget_query_embedding(self, query: str) -> List[float]:
        return await asyncio.to_thread(self._get_query_embedding, query)

    async def _aget_text_embedding(self, text: str) -> List[float]:
        return await asyncio.to_thread(self._get_text_embedding, text)

    async def _aget_text_embeddings(self, texts: List[str]) -> List[List[float]]:
        return await asyncio.to_thread(self._get_text_embeddings, texts)
