"""Haystack components. Requires `haystack-ai`."""

from __future__ import annotations

import dataclasses
import os
from typing import Any, Dict, List, Optional, Union

from haystack import Document, component, default_from_dict, default_to_dict

from ._adapter import Texts
from ._encoder import Encoderfile

Model = Union[str, "os.PathLike[str]", Encoderfile]


@component
class EncoderfileTextEmbedder:
    """Computes the vector of a query."""

    def __init__(self, model: Model, embed_options: Optional[Dict[str, Any]] = None) -> None:
        """
        Args:
            model: Path of an executable, or an `Encoderfile`.
            embed_options: Options of `Encoderfile.embed`, for example `{"normalize": True}`.
        """
        self.texts = Texts(model, embed_options or {})

    @component.output_types(embedding=List[float])
    def run(self, text: str) -> Dict[str, Any]:
        return {"embedding": self.texts.queries([text])[0]}

    def to_dict(self) -> Dict[str, Any]:
        data: Dict[str, Any] = default_to_dict(self, model=self.texts.path, embed_options=self.texts.options)
        return data

    @classmethod
    def from_dict(cls, data: Dict[str, Any]) -> "EncoderfileTextEmbedder":
        embedder: EncoderfileTextEmbedder = default_from_dict(cls, data)
        return embedder


@component
class EncoderfileDocumentEmbedder:
    """Computes the vectors of documents, and sets `embedding` of each one."""

    def __init__(
        self,
        model: Model,
        embed_options: Optional[Dict[str, Any]] = None,
        meta_fields_to_embed: Optional[List[str]] = None,
        embedding_separator: str = "\n",
    ) -> None:
        """
        Args:
            model: Path of an executable, or an `Encoderfile`.
            embed_options: Options of `Encoderfile.embed`, for example `{"normalize": True}`.
            meta_fields_to_embed: Fields of `meta` to put before the content.
            embedding_separator: Text between these fields and the content.
        """
        self.texts = Texts(model, embed_options or {})
        self.meta_fields_to_embed = meta_fields_to_embed or []
        self.embedding_separator = embedding_separator

    @component.output_types(documents=List[Document])
    def run(self, documents: List[Document]) -> Dict[str, Any]:
        vectors = self.texts.documents([self._text_of(document) for document in documents])
        found = zip(documents, vectors)
        return {"documents": [dataclasses.replace(document, embedding=vector) for document, vector in found]}

    def _text_of(self, document: Document) -> str:
        fields = [str(document.meta[name]) for name in self.meta_fields_to_embed if document.meta.get(name)]
        return self.embedding_separator.join([*fields, document.content or ""])

    def to_dict(self) -> Dict[str, Any]:
        data: Dict[str, Any] = default_to_dict(
            self,
            model=self.texts.path,
            embed_options=self.texts.options,
            meta_fields_to_embed=self.meta_fields_to_embed,
            embedding_separator=self.embedding_separator,
        )
        return data

    @classmethod
    def from_dict(cls, data: Dict[str, Any]) -> "EncoderfileDocumentEmbedder":
        embedder: EncoderfileDocumentEmbedder = default_from_dict(cls, data)
        return embedder
