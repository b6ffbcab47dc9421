"""Folders that no encoder with a config of transformers has: static models, models for images, and GLiNER."""

import contextlib
import json
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
import torch
from model2vec import StaticModel
from safetensors.torch import save_file
from sentence_transformers import SentenceTransformer, SparseEncoder
from sentence_transformers.models import Router
from sentence_transformers.sparse_encoder.models import MLMTransformer, SparseStaticEmbedding, SpladePooling
from tokenizers import Tokenizer

import folders
import references
import shapes
from vocabularies import write_json, write_vocabulary

WIDTH = 16
# Encoders of GLiNER models that limit texts, with the maximum of the published ones: the long text must fit.
LENGTHS = {"modernbert": 8192}


def table(folder, row):
    """Writes the tokenizer; returns it with a vector for each of its tokens."""
    count, _ = write_vocabulary(folder, row["tokenizer"], 512)
    for file in folder.glob("*"):
        if file.name not in ("tokenizer.json", "README.md"):
            file.unlink()
    vectors = np.random.default_rng(40).normal(size=(count, WIDTH)).astype(np.float32)
    return Tokenizer.from_file(str(folder / "tokenizer.json")), vectors


def static_embedding(folder, row, job):
    """As versions 3 and 4 of sentence-transformers save it: the table has a folder of its own."""
    inner = folder / "0_StaticEmbedding"
    inner.mkdir()
    _, vectors = table(inner, row)
    save_file({"embedding.weight": torch.from_numpy(vectors)}, inner / "model.safetensors", metadata={"format": "pt"})
    write_json(folder / "modules.json", [{"idx": 0, "name": "0", "path": "0_StaticEmbedding", "type": "sentence_transformers.models.StaticEmbedding"}])
    write_json(folder / "config_sentence_transformers.json", {"prompts": {}, "default_prompt_name": None, "similarity_fn_name": "cosine"})
    return {"rows": SentenceTransformer(str(folder), device="cpu").encode(job["texts"]).astype(np.float32).tolist()}


def model2vec(folder, row, job):
    _, vectors = table(folder, row)
    save_file({"embeddings": torch.from_numpy(vectors)}, folder / "model.safetensors")
    write_json(folder / "config.json", {
        "model_type": "model2vec", "architectures": ["StaticModel"], "tokenizer_name": row["from"], "apply_pca": WIDTH, "apply_zipf": True,
        "hidden_dim": WIDTH, "seq_length": 1000000, "normalize": True, **row.get("config", {}),
    })
    write_json(folder / "modules.json", [
        {"idx": 0, "name": "0", "path": ".", "type": "sentence_transformers.models.StaticEmbedding"},
        {"idx": 1, "name": "1", "path": "1_Normalize", "type": "sentence_transformers.models.Normalize"},
    ])
    return {"rows": StaticModel.from_pretrained(folder).encode(job["texts"]).astype(np.float32).tolist()}


def image(folder, row, job):
    write_json(folder / "config.json", row["config"])
    write_json(folder / "preprocessor_config.json", {"do_normalize": True, "do_resize": True, "size": {"height": 224, "width": 224}, "image_mean": [0.5] * 3, "image_std": [0.5] * 3})
    save_file({"embeddings.patch_embeddings.projection.weight": torch.randn(8, 3, 4, 4)}, folder / "model.safetensors", metadata={"format": "pt"})


def gliner(folder, row, job):
    """A GLiNER model, which has no config.json. The folder of its encoder has the tokenizer, unless the model has its own."""
    folders_by_name = encoder_folders(job["into"], row)
    encoder = write_encoder(folders_by_name[row["from"]], row["base"], row["tokenizer"])
    config = {
        "model_name": row["from"], "name": "large", "max_len": 384, "max_types": 25, "max_width": 12, "hidden_size": 24, "span_mode": "markerV0",
        "subtoken_pooling": "first", "fine_tune": True, "dropout": 0.4, **row.get("config", {}),
    }
    labels_encoder = folders_by_name.get(config.get("labels_encoder"))
    if labels_encoder is not None:
        write_encoder(labels_encoder, "bert", "bert")
    # Only these models need the package.
    import gliner_published as published

    with contextlib.redirect_stdout(sys.stderr):
        safe = row.get("weights") == "safetensors"
        model = published.publish(folder, encoder, config, job["texts"], job["labels"], safe, labels_encoder)
        if row.get("own"):
            save_own(folder, model, config)
        found = model.inference(job["texts"], job["labels"], threshold=job["threshold"])
    assert sum(map(len, found)) > 20, "too few entities"
    return {
        "rows": [[float(entity["score"]) for entity in entities] for entities in found],
        "entities": [[[entity["start"], entity["end"], entity["label"]] for entity in entities] for entities in found],
    }


def write_encoder(folder, base, tokenizer):
    """The files of an encoder's repository, apart from weights."""
    length = LENGTHS.get(base, 512)
    count, ids = write_vocabulary(folder, tokenizer, length, slow_only=tokenizer == "deberta-v3")
    if tokenizer == "deberta-v3":
        write_json(folder / "tokenizer_config.json", {"do_lower_case": False, "vocab_type": "spm"})
        (folder / "special_tokens_map.json").unlink()
    values, _ = shapes.BASES[base](ids)
    write_json(folder / "config.json", {**values, "vocab_size": count + 97, **({"max_position_embeddings": length} if base in LENGTHS else {})})
    return folder


def save_own(folder, model, config):
    """As newer versions of gliner save a model: with its tokenizer and all settings, but without the tokenizer for labels, which only the newest save."""
    model.save_pretrained(folder, safe_serialization=False)
    saved = json.loads((folder / "gliner_config.json").read_text())
    names = {key: config[key] for key in ("model_name", "labels_encoder") if key in config}
    write_json(folder / "gliner_config.json", {**saved, **names})
    (folder / "config.json").unlink(missing_ok=True)
    shutil.rmtree(folder / "labels_tokenizer", ignore_errors=True)


def encoder_folders(into, row):
    """The folders of other repositories that a model needs, by their names."""
    names = [row.get("from"), row.get("config", {}).get("labels_encoder")]
    return {name: Path(into) / "encoders" / row["name"].replace("/", "--") / str(at) for at, name in enumerate(names) if name}


def router(folder, row, job):
    """A sparse model that only encodes documents; queries are a sum of weights in a table. The encoder is in the folder of the model itself."""
    folders.write_model(folder, row)
    encoder = MLMTransformer(str(folder))
    weights = torch.rand(len(encoder.tokenizer), generator=torch.Generator().manual_seed(3))
    query, pooling = SparseStaticEmbedding(encoder.tokenizer, weight=weights), SpladePooling("max", activation_function=row["activation"])
    with tempfile.TemporaryDirectory() as saved:
        route = Router.for_query_document(query_modules=[query], document_modules=[encoder, pooling])
        SparseEncoder(modules=[route], device="cpu").save(saved, create_model_card=False)
        (Path(saved) / "README.md").unlink(missing_ok=True)
        shutil.rmtree(Path(saved) / "document_0_MLMTransformer")
        shutil.copytree(saved, folder, dirs_exist_ok=True)
    settings = (folder / "router_config.json").read_text().replace("document_0_MLMTransformer", "")
    (folder / "router_config.json").write_text(settings)
    words = {token: weights[at].item() for token, at in encoder.tokenizer.get_vocab().items()}
    write_json(folder / "idf.json", {token: words[token] for token in sorted(words, key=words.get)})
    model = SparseEncoder(str(folder), device="cpu")
    encode = lambda function: [references.short_row(function([text], convert_to_sparse_tensor=False)[0].tolist()) for text in job["texts"]]
    return {"rows": encode(model.encode_document), "queries": encode(model.encode_query)}


TASKS = {"static": static_embedding, "model2vec": model2vec, "image": image, "gliner": gliner, "router": router}
