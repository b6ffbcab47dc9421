"""Writes an ONNX graph, model.safetensors, config.json and tokenizer.json of a model of transformers, as its users would.

Reads one JSON object from stdin: where the weights come from (`folder`: saved by transformers, `fairseq`: a RoBERTa of fairseq, `random`:
values of config.json), the `task`, the `exporter` (torchscript, dynamo or optimum), the `tokenizer`, and the folder `into`.
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
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

CLASSES = {
    "feature-extraction": transformers.AutoModel,
    "text-classification": transformers.AutoModelForSequenceClassification,
    "token-classification": transformers.AutoModelForTokenClassification,
    "fill-mask": transformers.AutoModelForMaskedLM,
}
#: Atoms, bonds and brackets of a chemical formula in SMILES, one token each.
SMILES = r"\[[^\]]+\]|Br|Cl|[BCNOPSFI]|[bcnops]|%\d\d|>>|[>().=#\-+\\/:~@?*$]|\d"


class Wrapped(torch.nn.Module):
    """Takes the inputs by position and returns one tensor, which the tracer needs."""

    def __init__(self, model, inputs, output):
        super().__init__()
        self.model, self.inputs, self.output = model, inputs, output

    def forward(self, first, second=None, third=None):
        return self.model(**dict(zip(self.inputs, (first, second, third))), return_dict=True)[self.output]


def load(job):
    kind = CLASSES[job["task"]]
    if "folder" in job:
        return kind.from_pretrained(job["folder"], **job.get("settings", {}))
    if "fairseq" in job:
        return of_fairseq(job["fairseq"])
    torch.manual_seed(0)
    values = dict(job["random"])
    config = transformers.AutoConfig.for_model(values.pop("model_type"), **values)
    if job.get("class"):
        return getattr(transformers, job["class"])(config)
    model = kind.from_config(config)
    # Fresh weights are so small that all texts look alike, which would hide errors.
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.dim() > 1 and "position" not in name:
                weight.mul_(3)
    return model


def of_fairseq(file):
    """A RoBERTa of fairseq with the names that transformers gives its weights."""
    state = torch.load(file, map_location="cpu", weights_only=False)
    weights, args = state["model"], state["args"]
    prefix = next(name for name in weights if name.endswith("embed_tokens.weight")).removesuffix("embed_tokens.weight")
    embeddings = weights[prefix + "embed_tokens.weight"]
    config = transformers.RobertaConfig(
        vocab_size=embeddings.shape[0], hidden_size=embeddings.shape[1], num_hidden_layers=args.encoder_layers,
        num_attention_heads=args.encoder_attention_heads, intermediate_size=args.encoder_ffn_embed_dim,
        max_position_embeddings=weights[prefix + "embed_positions.weight"].shape[0], type_vocab_size=1, layer_norm_eps=1e-5,
        hidden_act=args.activation_fn)
    names = {"embed_tokens": "embeddings.word_embeddings", "embed_positions": "embeddings.position_embeddings",
             "emb_layer_norm": "embeddings.LayerNorm", "layernorm_embedding": "embeddings.LayerNorm"}
    parts = {"self_attn.q_proj": "attention.self.query", "self_attn.k_proj": "attention.self.key", "self_attn.v_proj": "attention.self.value",
             "self_attn.out_proj": "attention.output.dense", "self_attn_layer_norm": "attention.output.LayerNorm",
             "fc1": "intermediate.dense", "fc2": "output.dense", "final_layer_norm": "output.LayerNorm"}
    renamed = {"embeddings.token_type_embeddings.weight": torch.zeros(1, embeddings.shape[1])}
    for name, weight in weights.items():
        if not name.startswith(prefix) or name.endswith("version"):
            continue
        *path, last = name[len(prefix):].split(".")
        if path[0] == "layers":
            renamed[f"encoder.layer.{path[1]}.{parts['.'.join(path[2:])]}.{last}"] = weight
        else:
            renamed[f"{names['.'.join(path)]}.{last}"] = weight
    model = transformers.RobertaModel(config, add_pooling_layer=False)
    missing, unexpected = model.load_state_dict(renamed, strict=False)
    missing = [name for name in missing if "position_ids" not in name and "token_type_ids" not in name]
    assert not missing and not unexpected, (missing, unexpected)
    return model


def tokenizer_of(job):
    """tokenizer.json of another model, or one that is made from a vocabulary with the special tokens that the architecture expects."""
    kind, file = job["tokenizer"]["kind"], job["tokenizer"].get("file")
    if kind == "file":
        return Tokenizer.from_file(file)
    cls, sep, pad, unk, mask = job["tokenizer"].get("special", ["[CLS]", "[SEP]", "[PAD]", "[UNK]", "[MASK]"])
    if kind == "wordlevel":
        tokens = Path(file).read_text("utf8").split("\n")
        tokens = [token for token in tokens if token]
        if job["tokenizer"].get("dictionary"):
            tokens = [cls, pad, sep, unk, *(line.split()[0] for line in tokens), *job["tokenizer"]["dictionary"]]
        made = Tokenizer(models.WordLevel({token: at for at, token in enumerate(tokens)}, unk_token=unk))
        made.pre_tokenizer = pre_tokenizers.Split(Regex(SMILES if job["tokenizer"].get("smiles") else "."), "removed", invert=True)
    elif kind == "bpe":
        order = json.loads((Path(file) / "encoder.json").read_text("utf8"))
        merges = [tuple(line.split(" ")) for line in (Path(file) / "vocab.bpe").read_text("utf8").split("\n")[1:] if line]
        first = [cls, pad, sep, unk]
        vocabulary = {token: at for at, token in enumerate([*first, *sorted(order, key=order.get), mask])}
        made = Tokenizer(models.BPE(vocabulary, merges))
        made.pre_tokenizer, made.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    else:
        made = unigram(file, [cls, pad, sep, unk, mask], job["tokenizer"]["order"])
    for token in (cls, sep, pad, unk, mask):
        made.add_special_tokens([AddedToken(token, normalized=False, special=True)])
    ids = {token: made.token_to_id(token) for token in (cls, sep)}
    ending = job["tokenizer"].get("ending", False)
    made.post_processor = processors.TemplateProcessing(
        single=f"$A:0 {sep}:0 {cls}:2" if ending else f"{cls} $A {sep}",
        pair=f"$A:0 {sep}:0 $B:1 {sep}:1 {cls}:2" if ending else f"{cls} $A {sep} $B:1 {sep}:1",
        special_tokens=list(ids.items()))
    return made


def unigram(file, special, order):
    """The pieces of T5, behind special tokens in another order."""
    source = json.loads(Path(file).read_text("utf8"))
    named = dict(zip(("cls", "pad", "sep", "unk", "mask"), special))
    first = [named[each] for each in order]
    pieces = [(piece, score) for piece, score in source["model"]["vocab"] if not piece.startswith("<")]
    vocabulary = [(token, 0.0) for token in first] + pieces
    if named["mask"] not in first:
        vocabulary.append((named["mask"], 0.0))
    made = Tokenizer(models.Unigram(vocabulary, unk_id=first.index(named["unk"])))
    made.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")])
    made.pre_tokenizer, made.decoder = pre_tokenizers.Metaspace(), decoders.Metaspace()
    return made


def export(model, job, path):
    inputs, task = job["inputs"], job["task"]
    output = "last_hidden_state" if task == "feature-extraction" else "logits"
    length = 12
    ids = 4 + torch.arange(2 * length).reshape(2, length) % 20
    mask = torch.ones(2, length, dtype=torch.long)
    mask[1, length - 3:] = 0
    values = {"input_ids": ids, "attention_mask": mask, "token_type_ids": torch.zeros(2, length, dtype=torch.long)}
    arguments = tuple(values[name] for name in inputs)
    module = Wrapped(model, inputs, output).eval()
    names = {"input_names": inputs, "output_names": [output]}
    if job["exporter"] == "torchscript":
        axes = {0: "batch_size", 1: "sequence_length"}
        dynamic = {name: axes for name in inputs} | {output: {0: "batch_size"} if task == "text-classification" else axes}
        torch.onnx.export(module, arguments, str(path), dynamo=False, opset_version=job.get("opset", 17), dynamic_axes=dynamic, **names)
    else:
        any_size = torch.export.Dim.DYNAMIC
        torch.onnx.export(module, arguments, str(path), dynamo=True, external_data=False, verbose=False,
                          dynamic_shapes=tuple({0: any_size, 1: any_size} for _ in inputs), **names)


def main(job):
    into = Path(job["into"])
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir(parents=True)
    tokenizer = tokenizer_of(job)
    if "random" in job:
        job["random"]["vocab_size"] = math.ceil(tokenizer.get_vocab_size() / 8) * 8
    model = load(job).eval()
    with torch.no_grad():
        if job["exporter"] == "optimum":
            from optimum.exporters.onnx import onnx_export_from_model
            onnx_export_from_model(model, into, task=job["task"], do_validation=False, no_post_process=True)
        else:
            export(model, job, into / "model.onnx")
    # With config.json.
    model.save_pretrained(into)
    tokenizer.save(str(into / "tokenizer.json"))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    transformers.logging.set_verbosity_error()
    main(json.load(sys.stdin))
