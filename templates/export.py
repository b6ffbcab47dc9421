# Exports a text model of transformers to ONNX, for `encoderfile build MODEL`:
#
#     pip install torch transformers onnx
#     python export.py MODEL MODEL/onnx
#
# MODEL is a folder with config.json, weights and tokenizer. Models with Python code of their own need --trust-remote-code,
# which runs that code.
import argparse
import pathlib

import torch
import transformers

parser = argparse.ArgumentParser(description="Export a text model of transformers to ONNX.")
parser.add_argument("model", help="folder of the model")
parser.add_argument("output", help="folder for model.onnx, e.g. MODEL/onnx")
parser.add_argument("--trust-remote-code", action="store_true", help="run the model's own Python code")
options = parser.parse_args()

trust = {"trust_remote_code": options.trust_remote_code}
config = transformers.AutoConfig.from_pretrained(options.model, **trust)
# The class that saved the model has the right head.
name = (config.architectures or [""])[0]
load = getattr(transformers, name, transformers.AutoModel)
model = load.from_pretrained(options.model, attn_implementation="eager", **trust).float().eval()
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
        return tuple(result[output] for output in outputs(result))


def outputs(result):
    known = ["logits"], ["start_logits", "end_logits"], ["last_hidden_state"]
    return next(names for names in known if names[0] in result)


values = tuple(encoded[input] for input in inputs)
with torch.no_grad():
    result = model(**dict(zip(inputs, values)), return_dict=True)
names = outputs(result)
axes = {input: {0: "batch", 1: "length"} for input in inputs}
for output in names:
    per_token = result[output].dim() == 3 or output.endswith("_logits")
    axes[output] = {0: "batch", 1: "length"} if per_token else {0: "batch"}

folder = pathlib.Path(options.output)
folder.mkdir(parents=True, exist_ok=True)
with torch.no_grad():
    torch.onnx.export(
        Graph(),
        values,
        str(folder / "model.onnx"),
        input_names=inputs,
        output_names=names,
        dynamic_axes=axes,
        opset_version=18,
        dynamo=False,
    )
print(folder / "model.onnx")
