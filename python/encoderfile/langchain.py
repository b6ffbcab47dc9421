"""LangChain embeddings. Requires `langchain-core`."""

from __future__ import annotations

import os
from typing import Any, List, Union

from langchain_core.embeddings import Embeddings

from ._adapter import Texts
from ._encoder import Encoderfile


class EncoderfileEmbeddings(Embeddings):
    """
    Vectors of an executable.

        embeddings = EncoderfileEmbeddings("./all-MiniLM-L6-v2.encoder")
    """

    def __init__(self, model: "Union[str, os.PathLike[str], Encoderfile]", **options: Any) -> None:
        """
        Args:
            model: Path of an executable, or an `Encoderfile`.
            **options: Options of `Encoderfile.embed`, for example `normalize=True`.
        """
        self.model = Texts(model, options)

    def embed_documents(self, texts: List[str]) -> List[List[float]]:
        return self.model.documents(texts)

    def embed_query(self, text: str) -> List[float]:
        return self.model.queries([text])[0]
