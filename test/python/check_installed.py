"""Uses an installed package: builds a model, and runs it. Prints the seconds of the first build as JSON."""

import json
import os
import subprocess
import sys
import tempfile
import time

import encoderfile

model_folder = sys.argv[1]
command = [sys.executable, "-m", "encoderfile", "version"]
version = subprocess.run(command, check=True, stdout=subprocess.PIPE, universal_newlines=True).stdout
assert version.startswith("encoderfile "), version
with tempfile.TemporaryDirectory() as folder:
    start = time.monotonic()
    model = encoderfile.build(model_folder, output=os.path.join(folder, "sentiment.encoder"))
    seconds = time.monotonic() - start
    with model:
        assert model.predict(["I love this"])[0]["predicted_label"] == "POSITIVE"
    with model.serve() as server:
        assert server.get("/model")["model_id"] == "sentiment"
print(json.dumps({"seconds": seconds, "tool": encoderfile._tool.tool_path()}))
