"""Writes folders with the files of published models and small random weights, and what the published libraries compute with them.

Reads one JSON object from stdin: `models` (rows of list.ts with their `inputs`), `question`, `labels` and the folder `into`. Writes one JSON object per
line to stdout for each model: its `name`, its `folder`, the folders of `others`, repositories that it needs, by name, and the `expected` numbers,
or an `error`.
"""

import json
import logging
import shutil
import sys
import traceback
import warnings
from pathlib import Path

import torch

# The scripts of fixtures have small tokenizers, and models whose code is not part of transformers.
sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[2] / "fixtures" / "scripts")]
import folders
import image_models
import references
import static_models
from vocabularies import write_json

def make(row, folder, job):
    if row["task"] == "image":
        return image_models.image(folder, row, job)
    if row["task"] == "towers":
        return image_models.texts_and_images(folder, row, job)
    if row["task"] in static_models.TASKS:
        return static_models.TASKS[row["task"]](folder, row, job)
    model = folders.write_model(folder, row)
    if not row.get("bare"):
        folders.write_modules(folder, row)
    if row["task"] == "m3":
        references.save_heads(folder)
    for name, content in row.get("files", {}).items():
        write_json(folder / name, content)
    return references.REFERENCES[row.get("reference", row["task"])](folder, row, job, model)


def main(job):
    for row in job["models"]:
        folder = Path(job["into"]) / row["name"].replace("/", "--")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        try:
            (folder / "README.md").write_text(f"# {row['name']}\n")
            result = {"expected": make(row, folder, {**job, "texts": row["inputs"]})}
            others = static_models.encoder_folders(job["into"], row)
            result["others"] = {name: str(other) for name, other in others.items() if other.exists()}
        except Exception:
            result = {"error": traceback.format_exc()}
        print(json.dumps({"name": row["name"], "folder": str(folder), **result}), flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    main(json.load(sys.stdin))
