"""The files of a published model: config.json, the tokenizer, weights, and the settings of sentence-transformers."""

import json
import tempfile
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

import make_remote_code
import references
import shapes
from vocabularies import write_json, write_vocabulary

TASKS = {
    "sentence": "Model", "pairs": "ForSequenceClassification", "texts": "ForSequenceClassification", "tokens": "ForTokenClassification",
    "zero-shot": "ForSequenceClassification", "answers": "ForQuestionAnswering", "masked": "ForMaskedLM", "sparse": "ForMaskedLM",
    "multi-vector": "Model", "m3": "Model", "vectors": "Model", "causal": "ForCausalLM",
}
POOLING = dict(cls="cls_token", mean="mean_tokens", max="max_tokens", last="lasttoken")


def write_model(folder, row):
    """The folder of a row, apart from settings that follow the model: config.json, the tokenizer and the weights."""
    older = row.get("tokenizerConfig", {})
    count, ids = write_vocabulary(folder, row["tokenizer"], row.get("max", shapes.LENGTH), row.get("added", ()), row.get("inputNames"), row.get("slow", False))
    if older is None:
        (folder / "tokenizer_config.json").unlink()
    elif older:
        write_json(folder / "tokenizer_config.json", older)
    values, kind = shapes.BASES[row["base"]](ids)
    head = row.get("head") or TASKS[row["task"]]
    prefix = kind if isinstance(kind, str) else {"JinaBert": "JinaBert", "XlmRobertaFlash": "XLMRoberta", "NomicMoe": "NomicBert"}[kind.__name__]
    labels = row.get("labels")
    values = {
        "architectures": [prefix + head], **values, "vocab_size": count,
        **({"id2label": {str(at): label for at, label in enumerate(labels)}, "label2id": {label: at for at, label in enumerate(labels)}} if labels else {}),
        **row.get("config", {}),
    }
    values = {key: value for key, value in values.items() if key not in row.get("without", ())}
    make_remote_code.LABELS = len(labels or [""])
    model, weights = shapes.random_model(values, kind, "EncoderModel" if kind == "T5" else head, row.get("norms", False))
    if weights is None:
        with tempfile.TemporaryDirectory() as saved:
            model.save_pretrained(saved)
            weights = load_file(Path(saved) / "model.safetensors")
    elif "labels" not in row:
        weights = {name.removeprefix("bert.").removeprefix("roberta.") if row["base"].startswith("jina") else name: value
                   for name, value in weights.items() if not name.startswith("classifier")}
    if values["model_type"] == "new":
        weights = {("new." + name.removeprefix("gte.") if name.startswith("gte.") else name): value for name, value in weights.items()}
    if values.get("lora_adaptations"):
        weights = with_adapters(weights, len(values["lora_adaptations"]), values["lora_rank"])
    weights = older_names(weights, row, values)
    if "prefix" in row:
        weights = {row["prefix"] + name: value for name, value in weights.items()}
    dtype = getattr(torch, values.get("torch_dtype", "float32"))
    weights = {name: (value.to(dtype) if value.is_floating_point() else value).contiguous().clone() for name, value in weights.items()} | extra_weights(row, values)
    if row.get("weights") == "bin":
        torch.save(weights, folder / "pytorch_model.bin")
    else:
        save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    write_json(folder / "config.json", values)
    return model


def with_adapters(weights, tasks, rank):
    """An adapter of each task for each matrix, as in Jina v3. Without a task, the model has the original weights."""
    result = {}
    for name, value in weights.items():
        if value.dim() != 2:
            result[name] = value
            continue
        place, (rows, columns) = f"{name.removesuffix('.weight')}.parametrizations.weight", value.shape
        result[f"{place}.original"] = value
        a, b = ((tasks, rows, rank), (tasks, rank, columns)) if ".embeddings." in name else ((tasks, rank, columns), (tasks, rows, rank))
        result[f"{place}.0.lora_A"], result[f"{place}.0.lora_B"] = 0.3 * torch.randn(a), 0.3 * torch.randn(b)
    return result


def older_names(weights, row, values):
    """Names and tensors of versions of transformers with which most models were published."""
    words = next((name for name in weights if name.endswith("embeddings.word_embeddings.weight")), "")
    if row["base"] in ("bert", "roberta", "xlm-roberta", "mpnet"):
        positions = torch.arange(values["max_position_embeddings"])[None]
        weights = {**weights, words.replace("word_embeddings.weight", "position_ids"): positions}
    if row.get("gamma"):
        rename = lambda name: name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")
        weights = {rename(name): value for name, value in weights.items()}
    return weights


def extra_weights(row, values):
    """Weights next to those of the model, which the published files also contain."""
    torch.manual_seed(8)
    return {name: torch.randn(*(values["vocab_size"] if size == "vocabulary" else size for size in shape)) * 0.3 for name, shape in row.get("extra", {}).items()}


def write_modules(folder, row):
    """The files of sentence-transformers."""
    width = shapes.WIDTH
    listed = [("", row.get("transformer", "sentence_transformers.models.Transformer"))]
    if "pooling" in row:
        listed.append(("1_Pooling", "sentence_transformers.models.Pooling"))
        write_json(folder / "1_Pooling" / "config.json", {
            "word_embedding_dimension": width, **{f"pooling_mode_{POOLING[mode]}": mode == row["pooling"] for mode in POOLING},
            **({"include_prompt": True} if row.get("prompts") else {}),
        })
    for dense in row.get("dense", []):
        path = f"{len(listed)}_Dense"
        references.save_dense(folder / path, **dense)
        listed.append((path, row.get("denseClass", "sentence_transformers.models.Dense")))
    if row.get("normalize"):
        listed.append((f"{len(listed)}_Normalize", "sentence_transformers.models.Normalize"))
    for path, kind, settings in row.get("modules", []):
        if path == "":
            listed = []
        listed.append((path, kind))
        if settings is not None:
            size = json.loads((folder / "config.json").read_text())["vocab_size"]
            write_json(folder / path / "config.json", {**settings, "word_embedding_dimension": size})
    write_json(folder / "modules.json", [{"idx": at, "name": str(at), "path": path, "type": kind} for at, (path, kind) in enumerate(listed)])
    write_json(folder / "sentence_bert_config.json", {"max_seq_length": row.get("max", shapes.LENGTH), "do_lower_case": False})
    write_json(folder / "config_sentence_transformers.json", {
        "__version__": {"sentence_transformers": "2.7.0", "transformers": "4.44.2", "pytorch": "2.3.0"},
        **({"prompts": row["prompts"], "default_prompt_name": row.get("promptName")} if row.get("prompts") else {}), **row.get("settings", {}),
    })
