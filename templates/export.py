# Exports a transformers text model to ONNX, for `encoderfile build MODEL`:
#
#     pip install torch transformers onnx
#     python export.py MODEL MODEL/onnx
#
# MODEL is a folder with config.json, weights and tokenizer. Models with Python code of their own need --trust-remote-code,
# which runs that code.
import argparse
import json
import pathlib
import sys

import torch
import transformers

parser = argparse.ArgumentParser(description="Export a transformers text model to ONNX.")
parser.add_argument("model", help="folder of the model")
parser.add_argument("output", help="folder for model.onnx, e.g. MODEL/onnx")
parser.add_argument("--trust-remote-code", action="store_true", help="run the model's own Python code")
options = parser.parse_args()

trust = {"trust_remote_code": options.trust_remote_code}
folder = pathlib.Path(options.model)
stated = json.loads((folder / "config.json").read_text(encoding="utf-8"))
own = stated.get("auto_map") or {}
# Without its code, transformers would build another graph with these weights.
if own and not options.trust_remote_code:
    sys.exit(f"Error: {folder} has Python code of its own (auto_map in config.json). Pass --trust-remote-code to run it.")
config = transformers.AutoConfig.from_pretrained(options.model, **trust)


def class_of_head():
    """The class that saved the model, or the one without a head, if a model of sentence-transformers pools vectors of tokens."""
    modules = folder / "modules.json"
    types = [module["type"] for module in json.loads(modules.read_text(encoding="utf-8"))] if modules.exists() else []
    if types and not any(type.endswith("MLMTransformer") for type in types):
        return "AutoModel"
    name = (config.architectures or ["AutoModel"])[0]
    return next((auto for auto, path in own.items() if str(path).endswith(f".{name}")), name)


def load_model(name):
    """The model, and the names of weights that it needs but that its files do not have."""
    if not hasattr(transformers, name):
        sys.exit(f"Error: transformers {transformers.__version__} has no {name}, which config.json names. Install a version that has it.")
    load = getattr(transformers, name).from_pretrained
    model, found = load(options.model, attn_implementation="eager", output_loading_info=True, **trust)
    # The result of a pooler is not exported.
    return model, sorted(key for key in found["missing_keys"] if "pooler" not in key)


model, missing = load_model(class_of_head())
if missing:
    model, missing = load_model("AutoModel")
if missing:
    sys.exit(f"Error: The weights of {folder} do not have {', '.join(missing[:3])}. Copy the complete model.")
model = model.float().eval()
tokenizer = transformers.AutoTokenizer.from_pretrained(options.model, **trust)

texts = ["A short text.", "A text that has more words than the other one."]
encoded = tokenizer(texts, padding=True, return_tensors="pt")
reads_types = getattr(config, "type_vocab_size", 0) > 1 and "token_type_ids" in encoded
inputs = ["input_ids", "attention_mask", *(["token_type_ids"] if reads_types else [])]


class Graph(torch.nn.Module):
    """The part of the model's result that a build reads."""

    def __init__(self):
        super().__init__()
        self.model = model

    def forward(self, *values):
        result = self.model(**dict(zip(inputs, values)), return_dict=True)
        return tuple(result[name] for name in outputs(result))


def outputs(result):
    known = ["logits"], ["start_logits", "end_logits"], ["last_hidden_state"]
    return next(names for names in known if names[0] in result)


values = tuple(encoded[input] for input in inputs)
with torch.no_grad():
    result = model(**dict(zip(inputs, values)), return_dict=True)
names = outputs(result)
axes = {input: {0: "batch", 1: "length"} for input in inputs}
for result_name in names:
    per_token = result[result_name].dim() == 3 or result_name.endswith("_logits")
    axes[result_name] = {0: "batch", 1: "length"} if per_token else {0: "batch"}

output = pathlib.Path(options.output)
output.mkdir(parents=True, exist_ok=True)
with torch.no_grad():
    torch.onnx.export(
        Graph(),
        values,
        str(output / "model.onnx"),
        input_names=inputs,
        output_names=names,
        dynamic_axes=axes,
        opset_version=18,
        dynamo=False,
    )
print(output / "model.onnx")
