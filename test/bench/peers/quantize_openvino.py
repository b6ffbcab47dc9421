"""quantize_openvino.py <folder> <graph> <texts> <output.xml>: int8 by NNCF, calibrated with texts, one per line."""

import sys

import nncf
import numpy
import openvino
from tokenizers import Tokenizer

folder, graph, texts, output = sys.argv[1:]
tokenizer = Tokenizer.from_file(f"{folder}/tokenizer.json")
tokenizer.enable_truncation(512)
tokenizer.no_padding()
model = openvino.Core().read_model(f"{folder}/{graph}")
names = {one.get_any_name() for one in model.inputs}


def feeds(text):
    ids = numpy.array([tokenizer.encode(text.strip()).ids], dtype=numpy.int64)
    values = {"input_ids": ids, "attention_mask": numpy.ones_like(ids), "token_type_ids": numpy.zeros_like(ids)}
    return {name: values[name] for name in names}


with open(texts) as lines:
    data = nncf.Dataset([feeds(line) for line in lines])
openvino.save_model(nncf.quantize(model, data, model_type=nncf.ModelType.TRANSFORMER), output)
