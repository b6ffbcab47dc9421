"""Image classification as teams write it in an afternoon: Pillow, NumPy and ONNX Runtime.

server.py <folder> <threads> serve <port>     serves POST / behind FastAPI: a file, or base64 in JSON
server.py <folder> <threads> loop <file ...>  classifies files without a server: each line on stdin has the number
                                              of images and how many of them are classified in parallel
"""

import base64
import io
import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy
import onnxruntime
from PIL import Image

TOP = 5


def classifier(folder, threads):
    with open(f"{folder}/config.json") as file:
        labels = json.load(file)["id2label"]
    with open(f"{folder}/preprocessor_config.json") as file:
        processor = json.load(file)
    size = (processor["size"]["width"], processor["size"]["height"])
    # The processor computes (pixel * factor - mean) / std; this is the same with fewer passes over the pixels.
    mean, std = (numpy.array(processor[key], numpy.float32) for key in ("image_mean", "image_std"))
    factor = numpy.float32(processor["rescale_factor"])
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(f"{folder}/model.onnx", options, providers=["CPUExecutionProvider"])

    def classify(data):
        image = Image.open(io.BytesIO(data)).convert("RGB").resize(size, processor["resample"])
        pixels = (numpy.asarray(image) * (factor / std) - mean / std).transpose(2, 0, 1)[None]
        logits = session.run(None, {"pixel_values": numpy.ascontiguousarray(pixels)})[0][0]
        scores = numpy.exp(logits - logits.max())
        scores /= scores.sum()
        best = numpy.argsort(-scores)[:TOP]
        return [{"label": labels[str(at)], "score": float(scores[at])} for at in best]

    return classify


def serve(classify, port):
    import uvicorn
    from fastapi import FastAPI, Request
    from fastapi.concurrency import run_in_threadpool

    app = FastAPI()

    @app.post("/")
    async def predict(request: Request):
        body = await request.body()
        if request.headers["content-type"] == "application/json":
            body = base64.b64decode(json.loads(body)["inputs"])
        return await run_in_threadpool(classify, body)

    uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning", access_log=False)


def loop(classify, paths):
    files = [open(path, "rb").read() for path in paths]

    def timed(number):
        started = time.perf_counter()
        classify(files[number % len(files)])
        return (time.perf_counter() - started) * 1000

    print(json.dumps(classify(files[0])), flush=True)
    for line in sys.stdin:
        count, parallel = map(int, line.split())
        started = time.perf_counter()
        with ThreadPoolExecutor(parallel) as pool:
            latencies = list(pool.map(timed, range(count)))
        seconds = time.perf_counter() - started
        print(json.dumps({"seconds": seconds, "latencies": latencies}), flush=True)


model_folder, thread_count, mode, *rest = sys.argv[1:]
run = classifier(model_folder, int(thread_count))
if mode == "serve":
    serve(run, int(rest[0]))
else:
    loop(run, rest)
