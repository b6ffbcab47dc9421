"""models.py: what ONNX Runtime returns for images that Pillow and NumPy prepare as preprocessor_config.json states.

Reads a JSON object from stdin: {"graph", "settings", "images"}.
"""

import json
import sys

import numpy as np
import onnxruntime
from PIL import Image

job = json.load(sys.stdin)
settings = job["settings"]
size = (settings["size"]["width"], settings["size"]["height"])
options = onnxruntime.SessionOptions()
options.log_severity_level = 3
session = onnxruntime.InferenceSession(job["graph"], options)
(source,) = session.get_inputs()
output = session.get_outputs()[0].name


def tensor(path):
    image = Image.open(path).convert("RGB").resize(size, Image.Resampling(settings["resample"]))
    values = np.asarray(image, dtype=np.float64) * settings["rescale_factor"]
    values = (values.astype(np.float32) - np.array(settings["image_mean"], np.float32)) / np.array(
        settings["image_std"], np.float32
    )
    # TensorFlow's graphs read the channels as the last axis.
    is_last = source.shape[3] == 3
    return (values if is_last else values.transpose(2, 0, 1))[None].astype(np.float32)


def scores(path):
    row = session.run([output], {source.name: tensor(path)})[0][0].astype(np.float64)
    # Some graphs end in Softmax.
    if (row >= 0).all() and abs(row.sum() - 1) < 1e-4:
        return row.tolist()
    powers = np.exp(row - row.max())
    return (powers / powers.sum()).tolist()


print(json.dumps([scores(path) for path in job["images"]]))
