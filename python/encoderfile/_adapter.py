"""What the adapters for other libraries share: vectors of queries and documents as lists of floats."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Sequence, Union

from ._encoder import Encoderfile
from ._errors import InputError
from ._info import Info

# Names of the prompt for documents, in the order of sentence-transformers.
_DOCUMENT_PROMPTS = ("document", "passage", "corpus")


def prompts_of(info: Info) -> Dict[str, str]:
    """The prompts of a sentence encoder by name."""
    sentence = info.raw["model"].get("sentence") or {}
    return {name: prompt["text"] for name, prompt in (sentence.get("prompts") or {}).items()}


def document_prompt(info: Info) -> str:
    """The name of the prompt for documents. Every sentence encoder accepts `document`, and `query` for queries."""
    known = prompts_of(info)
    return next((name for name in _DOCUMENT_PROMPTS if name in known), _DOCUMENT_PROMPTS[0])


class Texts:
    """
    Computes vectors of queries and documents. Models with prompts for them get these prompts, unless the options set a prompt; for
    other models, both kinds of texts have the same vectors.
    """

    def __init__(self, model: "Union[str, os.PathLike[str], Encoderfile]", options: Dict[str, Any]) -> None:
        self._encoder = model if isinstance(model, Encoderfile) else Encoderfile(model)
        self.options = options

    @property
    def path(self) -> str:
        return self._encoder.path

    @property
    def name(self) -> str:
        return self._encoder.info.name

    def queries(self, texts: Sequence[str]) -> List[List[float]]:
        return self._vectors(texts, "query")

    def documents(self, texts: Sequence[str]) -> List[List[float]]:
        return self._vectors(texts, document_prompt(self._encoder.info))

    def _vectors(self, texts: Sequence[str], prompt_name: str) -> List[List[float]]:
        kind = self._encoder.model_type
        if kind not in ("sentence_embedding", "embedding", "image_text_embedding"):
            raise InputError(f"{self.name} is of type {kind}, but a model with one vector per text is required.")
        chosen = self.options.keys() & {"prompt", "prompt_name", "task"}
        named = {} if chosen or kind != "sentence_embedding" else {"prompt_name": prompt_name}
        vectors = self._encoder.embed(texts, **{**named, **self.options})
        return [[float(value) for value in vector] for vector in vectors]
