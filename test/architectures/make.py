"""Writes a model of transformers with random weights: safetensors, an ONNX export of it, and what transformers computes for some texts.

Reads one JSON object from stdin: `config` (values of config.json), `head`, the `texts` as lists of token ids, and the folder `into`.
Writes one JSON object to stdout: the `expected` numbers of each text, and the `exporter` that could export the model, if there is one.
"""

import json
import logging
import math
import shutil
import sys
import warnings
from pathlib import Path

import torch
import transformers

CLASSES = {
    "vectors of texts": (transformers.AutoModel, "feature-extraction", "last_hidden_state"),
    "labels of texts": (transformers.AutoModelForSequenceClassification, "text-classification", "logits"),
    "labels of tokens": (transformers.AutoModelForTokenClassification, "token-classification", "logits"),
}


def random_model(job):
    kind = CLASSES[job["head"]][0]
    torch.manual_seed(0)
    values = dict(job["config"])
    config = transformers.AutoConfig.for_model(values.pop("model_type"), **values, num_labels=3)
    if config.model_type == "t5" and job["head"] == "vectors of texts":
        # AutoModel also has the decoder.
        model = transformers.T5EncoderModel(config)
    else:
        model = kind.from_config(config)
    # Fresh biases are zero and fresh norms are one, which would hide errors; fresh weights are so small that all texts look alike.
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.dim() == 1:
                weight.add_(torch.randn_like(weight) * 0.1)
            elif "position" not in name:
                weight.mul_(2)
    return model.eval()


def tokenizer(size):
    vocabulary = {f"t{token}": token for token in range(size)}
    return {
        "version": "1.0",
        "added_tokens": [],
        "pre_tokenizer": {"type": "WhitespaceSplit"},
        "model": {"type": "WordLevel", "unk_token": "t0", "vocab": vocabulary},
    }


def traced(model, path, output, names):
    class Wrapped(torch.nn.Module):
        def forward(self, *values):
            return model(**dict(zip(names, values)), return_dict=True)[output]

    ids = 5 + torch.arange(24).reshape(2, 12)
    values = {"input_ids": ids, "attention_mask": torch.ones_like(ids), "token_type_ids": torch.zeros_like(ids)}
    axes = {name: {0: "batch", 1: "length"} for name in names}
    torch.onnx.export(
        Wrapped().eval(), tuple(values[name] for name in names), str(path), dynamo=False, opset_version=17,
        input_names=names, output_names=[output], dynamic_axes={**axes, output: {0: "batch", 1: "length"}})


def export(model, job, folder):
    _, task, output = CLASSES[job["head"]]
    try:
        from optimum.exporters.onnx import onnx_export_from_model
        onnx_export_from_model(model, folder, task=task, do_validation=False, no_post_process=True)
        return "optimum"
    except Exception:
        shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    try:
        names = ["input_ids", "attention_mask"] + (["token_type_ids"] if job["types"] else [])
        traced(model, folder / "model.onnx", output, names)
        return "torch.onnx"
    except Exception:
        return None


def main(job):
    into = Path(job["into"])
    model = random_model(job)
    saved, exported = into / "safetensors", into / "export"
    model.save_pretrained(saved)
    # Loaded again, because transformers changes some settings when it reads them, such as the window of Gemma 3.
    # Only this implementation of attention limits the scores of Gemma 2.
    model = type(model).from_pretrained(saved, attn_implementation="eager").eval()
    expected = []
    with torch.no_grad():
        for ids in job["texts"]:
            rows = model(input_ids=torch.tensor([ids]), attention_mask=torch.ones(1, len(ids), dtype=torch.long))
            values = rows[CLASSES[job["head"]][2]][0]
            expected.append((values.mean(dim=0) if job["head"] == "vectors of texts" else values).flatten().tolist())
        exporter = export(model, job, exported)
    for folder in (saved, exported):
        if folder.exists():
            if folder != saved:
                shutil.copy(saved / "config.json", folder)
            (folder / "tokenizer.json").write_text(json.dumps(tokenizer(model.config.vocab_size)))
    if not all(map(math.isfinite, (value for row in expected for value in row))):
        raise ValueError("the expected numbers are not finite")
    print(json.dumps({"expected": expected, "exporter": exporter}))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    transformers.logging.set_verbosity_error()
    main(json.load(sys.stdin))
