"""Computes the expected results of a model with ONNX Runtime, tokenizers and numpy alone, each text in a run of its own.

Reads one JSON object from stdin, writes a JSON object to stdout with two lists: a vector for each text, its logits, its scores, or a row for each
token, and the same without optimizations of the graph.
"""

import json
import sys

import numpy as np
import onnxruntime as ort
from tokenizers import Tokenizer

job = json.load(sys.stdin)
tokenizer = Tokenizer.from_file(job["tokenizer"])


def open_session(level):
    options = ort.SessionOptions()
    options.graph_optimization_level = level
    return ort.InferenceSession(job["onnx"], options, providers=["CPUExecutionProvider"])


session = open_session(ort.GraphOptimizationLevel.ORT_ENABLE_ALL)
names = [each.name for each in session.get_inputs()]
columns = {"input_ids": "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}

tokenizer.no_padding()
# The sentence about a label is never truncated.
strategy = "only_first" if job.get("task") == "zero_shot_classification" else "longest_first"
tokenizer.enable_truncation(job["maxLength"], strategy=strategy)
length = session.get_inputs()[0].shape[1]
if isinstance(length, int):
    tokenizer.enable_padding(length=length)


def run(*text):
    encoding = tokenizer.encode(*text)
    feed = {name: np.array([getattr(encoding, columns[name])], np.int64) for name in names}
    return encoding, session.run([job["output"]] if "output" in job else None, feed)[0][0]


def result(text):
    if job.get("task") == "zero_shot_classification":
        # The first label of these models is entailment.
        entailment = np.array([run(text, f"This example is {label}.")[1][0] for label in job["labels"]], np.float64)
        powers = np.exp(entailment - entailment.max())
        return powers / powers.sum()
    if job.get("task") == "reranker":
        return run(job["question"], text)[1]
    encoding, rows = run(text)
    if job.get("task") == "sequence_classification":
        return rows
    if job.get("task") == "sparse_embedding":
        # A sparse vector ends with its last value that is not zero.
        return np.trim_zeros(np.log1p(np.maximum(rows, 0)).max(axis=0), "b")
    if job.get("task") == "token_classification":
        # Tokens that the tokenizer adds are not part of the answer.
        return rows[np.array(encoding.special_tokens_mask) == 0]
    if job.get("task") == "multi_vector":
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)
    # `files` states the mean.
    vector = {"cls": lambda: rows[0], "graph": lambda: rows}.get(job["pooling"], lambda: rows.mean(axis=0))()
    return vector / np.linalg.norm(vector)


def all_results():
    return [np.float64(result(text)).tolist() for text in job["texts"]]


results = all_results()
session = open_session(ort.GraphOptimizationLevel.ORT_DISABLE_ALL)
print(json.dumps({"results": results, "unoptimized": all_results()}))
