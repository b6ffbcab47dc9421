"""Vectors of a model without encoderfile: sentence-transformers for a folder with safetensors, ONNX Runtime for a graph.

Reads one JSON object from stdin: `texts`, and `folder`, or `graph`, `tokenizer`, `maxLength` and `pooling`. Writes one vector per line.
"""

import json
import sys

import numpy as np


def of_folder(job):
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(job["folder"], device="cpu")
    return model.encode(job["texts"], normalize_embeddings=True, batch_size=32)


def of_graph(job):
    import onnxruntime
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(job["tokenizer"])
    tokenizer.no_padding()
    tokenizer.enable_truncation(job["maxLength"])
    session = onnxruntime.InferenceSession(job["graph"], providers=["CPUExecutionProvider"])
    columns = {"input_ids": "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}
    names = [one.name for one in session.get_inputs()]
    for text in job["texts"]:
        encoding = tokenizer.encode(text)
        rows = session.run(None, {name: np.array([getattr(encoding, columns[name])], np.int64) for name in names})[0][0]
        vector = rows[0] if job["pooling"] == "cls" else rows.mean(axis=0)
        yield vector / np.linalg.norm(vector)


job = json.load(sys.stdin)
for vector in (of_folder if "folder" in job else of_graph)(job):
    print(json.dumps(np.float64(vector).tolist()))
