"""Folders that no encoder with a config of transformers has: static models, models for images, and GLiNER."""

import shutil
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
from vocabularies import write_json, write_vocabulary

WIDTH = 16


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
    """The settings and names of GLiNER's own file. It has no config.json."""
    count, _ = write_vocabulary(folder, row["tokenizer"], 128, ["<<ENT>>", "<<SEP>>"])
    write_json(folder / "gliner_config.json", {
        "model_name": row["from"], "max_len": 384, "max_types": 25, "max_width": 12, "hidden_size": 16, "span_mode": "markerV0", "subtoken_pooling": "first",
        "ent_token": "<<ENT>>", "sep_token": "<<SEP>>", "words_splitter_type": "whitespace", "vocab_size": count, **row.get("config", {}),
    })
    weights = {"token_rep_layer.bert_layer.model.embeddings.word_embeddings.weight": torch.randn(count, 16)}
    if row.get("weights") == "bin":
        torch.save(weights, folder / "pytorch_model.bin")
    else:
        save_file(weights, folder / "model.safetensors")


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
