"""
The most used methods of `SentenceTransformer` from the library sentence-transformers, which is not required:

    from encoderfile.sentence_transformers import SentenceTransformer
"""

from __future__ import annotations

import os
from typing import Any, List, Optional, Sequence, Union

from ._adapter import document_prompt, prompts_of
from ._encoder import Encoderfile


class SentenceTransformer:
    """Computes vectors of texts with an executable."""

    def __init__(self, model_name_or_path: "Union[str, os.PathLike[str], Encoderfile]") -> None:
        """
        Args:
            model_name_or_path: Path of an executable, or an `Encoderfile`.
        """
        model = model_name_or_path
        self.encoder = model if isinstance(model, Encoderfile) else Encoderfile(model)

    def encode(
        self,
        sentences: Union[str, Sequence[str]],
        prompt_name: Optional[str] = None,
        prompt: Optional[str] = None,
        batch_size: int = 32,
        show_progress_bar: Optional[bool] = None,
        convert_to_numpy: bool = True,
        normalize_embeddings: bool = False,
        truncate_dim: Optional[int] = None,
        **options: Any,
    ) -> Any:
        """
        Returns one vector for a text, or an array of vectors for a list of texts.

        Args:
            sentences: A text or a list of texts.
            prompt_name: Name of the prompt to prepend to each text.
            prompt: Text to prepend to each text.
            batch_size: Ignored; the executable chooses the batches.
            show_progress_bar: Ignored.
            convert_to_numpy: Whether to return NumPy arrays, which requires NumPy. Otherwise, lists.
            normalize_embeddings: Whether to normalize vectors even if the model does not.
            truncate_dim: Number of leading dimensions to keep.
            **options: Other options of `Encoderfile.embed`.
        """
        single = isinstance(sentences, str)
        vectors = self.encoder.embed(
            [sentences] if isinstance(sentences, str) else sentences,
            normalize=True if normalize_embeddings else None,
            dimensions=truncate_dim,
            prompt_name=prompt_name,
            prompt=prompt,
            **options,
        )
        if not convert_to_numpy and hasattr(vectors, "tolist"):
            vectors = vectors.tolist()
        return vectors[0] if single else vectors

    def encode_query(self, sentences: Union[str, Sequence[str]], **options: Any) -> Any:
        """Returns the vectors of queries, with the model's prompt `query`."""
        return self.encode(sentences, **{"prompt_name": "query", **options})

    def encode_document(self, sentences: Union[str, Sequence[str]], **options: Any) -> Any:
        """Returns the vectors of documents, with the model's prompt `document`."""
        return self.encode(sentences, **{"prompt_name": document_prompt(self.encoder.info), **options})

    def get_sentence_embedding_dimension(self) -> Optional[int]:
        """Returns the number of dimensions of a vector."""
        return self.encoder.info.dimensions

    @property
    def prompts(self) -> "dict[str, str]":
        """The model's prompts by name."""
        return prompts_of(self.encoder.info)

    def similarity(self, embeddings1: Any, embeddings2: Any) -> Any:
        """Returns the cosine similarity of each vector of one list with each vector of another. Requires NumPy."""
        import numpy

        one, other = (_unit(numpy.atleast_2d(numpy.asarray(vectors))) for vectors in (embeddings1, embeddings2))
        return one @ other.T

    def close(self) -> None:
        """Stops the executable."""
        self.encoder.close()


def _unit(vectors: Any) -> Any:
    import numpy

    lengths = numpy.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors / numpy.where(lengths == 0, 1, lengths)


__all__: List[str] = ["SentenceTransformer"]
