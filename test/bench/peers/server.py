"""A server as teams write it in an afternoon: FastAPI, and ONNX Runtime, OpenVINO or fastembed.

server.py <ort|openvino|fastembed> <folder> <graph> <port>    serves POST /v1/embeddings
server.py <ort|openvino|fastembed> <folder> <graph> once TEXT prints the vector of one text
"""

import json
import sys


def with_onnxruntime(folder, graph):
    import onnxruntime

    session = onnxruntime.InferenceSession(f"{folder}/{graph}", providers=["CPUExecutionProvider"])
    names = {one.name for one in session.get_inputs()}
    return mean_of_tokens(folder, lambda feeds: session.run(None, {name: feeds[name] for name in names})[0])


def with_openvino(folder, graph):
    import threading

    import openvino

    # On processors with bf16, OpenVINO computes a float32 model in bf16 by default.
    settings = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32"}
    model = openvino.Core().compile_model(f"{folder}/{graph}", "CPU", settings)
    names = {one.get_any_name() for one in model.inputs}
    # A request object runs one batch at a time, and FastAPI runs each request in one of several threads.
    own = threading.local()

    def run(feeds):
        if not hasattr(own, "request"):
            own.request = model.create_infer_request()
        return own.request.infer({name: feeds[name] for name in names})[model.output(0)]

    return mean_of_tokens(folder, run)


def mean_of_tokens(folder, run):
    import numpy
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(f"{folder}/tokenizer.json")
    tokenizer.enable_truncation(512)
    tokenizer.enable_padding()

    def embed(texts):
        encodings = tokenizer.encode_batch(texts)
        ids = numpy.array([one.ids for one in encodings], dtype=numpy.int64)
        mask = numpy.array([one.attention_mask for one in encodings], dtype=numpy.int64)
        feeds = {"input_ids": ids, "attention_mask": mask, "token_type_ids": numpy.zeros_like(ids)}
        hidden = run(feeds)
        weights = mask[:, :, None].astype(numpy.float32)
        vectors = (hidden * weights).sum(1) / weights.sum(1)
        return vectors / numpy.linalg.norm(vectors, axis=1, keepdims=True)

    return embed


def with_fastembed(folder, graph):
    from fastembed import TextEmbedding
    from fastembed.common.model_description import ModelSource, PoolingType

    with open(f"{folder}/config.json") as file:
        width = json.load(file)["hidden_size"]
    TextEmbedding.add_custom_model(
        model="bench/model",
        pooling=PoolingType.MEAN,
        normalization=True,
        sources=ModelSource(hf="bench/model"),
        dim=width,
        model_file=graph,
    )
    model = TextEmbedding(model_name="bench/model", specific_model_path=folder)
    return lambda texts: list(model.embed(texts))


def serve(embed, port):
    import uvicorn
    from fastapi import FastAPI
    from pydantic import BaseModel

    app = FastAPI()

    class Request(BaseModel):
        input: list[str]

    @app.post("/v1/embeddings")
    def answer(request: Request):
        vectors = embed(request.input)
        return {"data": [{"index": at, "embedding": one.tolist()} for at, one in enumerate(vectors)]}

    uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning", access_log=False)


kind, model_folder, graph_file, mode, *texts = sys.argv[1:]
kinds = {"ort": with_onnxruntime, "openvino": with_openvino, "fastembed": with_fastembed}
run = kinds[kind](model_folder, graph_file)
if mode == "once":
    print(json.dumps(run(texts)[0].tolist()))
else:
    serve(run, int(mode))
