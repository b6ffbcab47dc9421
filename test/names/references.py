"""What the published libraries compute with a folder: one function for each task. Rows have one list of numbers for each text."""

import json
import string

import torch
import transformers as tf
from safetensors.torch import load_file
from sentence_transformers import MultiVectorEncoder, SentenceTransformer, SparseEncoder
from sentence_transformers.base.modules import Dense
from tokenizers import Tokenizer
from torch import nn

import make_causal_rerankers as causal
import shapes
from vocabularies import template

FLOAT = dict(dtype=torch.float32)

ACTIVATIONS = {"tanh": nn.Tanh, "identity": nn.Identity}


def save_dense(folder, outputs, activation="identity", bias=False, inputs=shapes.WIDTH):
    folder.mkdir(parents=True)
    torch.manual_seed(len(folder.name) + outputs)
    Dense(inputs, outputs, bias=bias, activation_function=ACTIVATIONS[activation]()).save(str(folder))


def with_prompts(encode, row):
    """Vectors of texts without a prompt, and with each prompt."""
    prompts = row.get("prompts", {})
    expected = {"rows": encode("")}
    return {**expected, "prompts": {name: encode(prompt) for name, prompt in prompts.items()}} if prompts else expected


def sentence(folder, row, job, _):
    model = SentenceTransformer(str(folder), device="cpu", model_kwargs=FLOAT)
    return with_prompts(lambda prompt: model.encode(job["texts"], prompt=prompt).tolist(), row)


# What the settings of these tokenizers add to texts.
ENDS = {"llama": (["<s>"], ["</s>"]), "gte-qwen": ([], ["<|endoftext|>"])}


def raw_tokenizer(folder, row):
    """tokenizer.json alone, without the classes of transformers."""
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    if row["tokenizer"] in ENDS:
        tokenizer.post_processor = template(tokenizer, *ENDS[row["tokenizer"]])
    tokenizer.no_padding()
    tokenizer.enable_truncation(row.get("max", shapes.LENGTH))
    return tokenizer


def tensors(encoding):
    return dict(input_ids=torch.tensor([encoding.ids]), attention_mask=torch.ones(1, len(encoding.ids), dtype=torch.long))


def own_sentence(folder, row, job, model):
    """For models that sentence-transformers reads with the code in their own folder only."""
    tokenizer, model = raw_tokenizer(folder, row), getattr(model, "base_model", model)

    def vector(text):
        hidden = model(**tensors(tokenizer.encode(text)))["last_hidden_state"][0]
        pooled = {"mean": lambda: hidden.mean(0), "cls": lambda: hidden[0], "last": lambda: hidden[-1]}[row["pooling"]]()
        return (nn.functional.normalize(pooled, dim=-1) if row.get("normalize") else pooled).tolist()

    return with_prompts(lambda prompt: [vector(prompt + text) for text in job["texts"]], row)


def own_pairs(folder, row, job, model):
    tokenizer = raw_tokenizer(folder, row)
    return {"rows": [model(**tensors(tokenizer.encode(job["question"], text)))["logits"][0].tolist() for text in job["texts"]]}


def loaded(folder, head):
    tokenizer = tf.AutoTokenizer.from_pretrained(folder)
    tokenizer.model_max_length = min(tokenizer.model_max_length, shapes.LENGTH)
    return getattr(tf, f"AutoModel{head}").from_pretrained(folder, **FLOAT).eval(), tokenizer


def logits(head, inputs):
    def compute(folder, row, job, _):
        model, tokenizer = loaded(folder, head)
        return {"rows": [model(**tokenizer(*inputs(job, text), truncation=True, return_tensors="pt")).logits[0].tolist() for text in job["texts"]]}

    return compute


def tokens(folder, row, job, _):
    model, tokenizer = loaded(folder, "ForTokenClassification")
    rows = []
    for text in job["texts"]:
        encoding = tokenizer(text, truncation=True, return_special_tokens_mask=True, return_tensors="pt")
        special = encoding.pop("special_tokens_mask")[0]
        rows.append(model(**encoding).logits[0][special == 0].flatten().tolist())
    return {"rows": rows}


def zero_shot(folder, row, job, _):
    model, tokenizer = loaded(folder, "ForSequenceClassification")
    entailment = next(at for at, label in model.config.id2label.items() if label.lower() == "entailment")

    def row_of(text):
        pairs = [tokenizer(text, f"This example is {label}.", truncation="only_first", return_tensors="pt") for label in job["labels"]]
        return torch.stack([model(**pair).logits[0, entailment] for pair in pairs]).softmax(0).tolist()

    return {"rows": [row_of(text) for text in job["texts"]]}


def answers(folder, row, job, _):
    """The score of the best answer, as in the pipeline of transformers 4; contexts of one window only.

    The pipeline chooses 12 candidates, extends them to whole words, and adds the scores of equal texts.
    """
    model, tokenizer = loaded(folder, "ForQuestionAnswering")
    rows = []
    for context in job["texts"]:
        encoding = tokenizer(job["question"], context, return_tensors="pt", return_token_type_ids=False)
        found = model(**encoding)
        in_context = torch.tensor([which == 1 for which in encoding.sequence_ids()])
        known = in_context.clone()
        known[0] = True
        start, end = (torch.where(known, values[0].double(), -10000.0).softmax(0) * in_context for values in (found.start_logits, found.end_logits))
        scores = (start[:, None] * end[None, :]).triu().tril(14)
        merged = {}
        for at in scores.flatten().topk(12).indices.tolist():
            first, last = divmod(at, len(known))
            span = [encoding.word_to_chars(encoding.token_to_word(token), sequence_index=1) for token in (first, last)]
            text = context[span[0].start : span[1].end].lower()
            merged[text] = merged.get(text, 0) + float(scores[first, last])
        rows.append([max(merged.values())])
    return {"rows": rows}


def masked(folder, row, job, _):
    model, tokenizer = loaded(folder, "ForMaskedLM")
    rows = []
    for text in job["texts"]:
        encoding = tokenizer(text.replace("[MASK]", tokenizer.mask_token), return_tensors="pt")
        at = (encoding["input_ids"][0] == tokenizer.mask_token_id).nonzero()[0, 0]
        rows.append(model(**encoding).logits[0, at].softmax(0).topk(5).values.tolist())
    return {"rows": rows}


def vectors(folder, row, job, _):
    """Vectors of all tokens of each text, special tokens excluded."""
    model, tokenizer = loaded(folder, "")
    rows = []
    for text in job["texts"]:
        encoding = tokenizer(text, truncation=True, return_special_tokens_mask=True, return_tensors="pt")
        special = encoding.pop("special_tokens_mask")[0]
        rows.append(model(**encoding).last_hidden_state[0][special == 0].flatten().tolist())
    return {"rows": rows}


def sparse(folder, row, job, _):
    model = SparseEncoder(str(folder), device="cpu", model_kwargs=FLOAT)
    return {"rows": [short_row(model.encode([text], convert_to_sparse_tensor=False)[0].tolist()) for text in job["texts"]]}


def short_row(values):
    """A row without the zeros at its end."""
    return values[: max((at + 1 for at, value in enumerate(values) if value != 0), default=0)]


def multi_vector(folder, row, job, _):
    model = MultiVectorEncoder(str(folder), device="cpu", model_kwargs=FLOAT)
    flat = lambda found: [one.flatten().tolist() for one in found]
    documents = [model.encode_document([text], convert_to_numpy=True)[0] for text in job["texts"]]
    queries = [model.encode_query([text], convert_to_numpy=True)[0] for text in job["texts"]]
    return {"rows": flat(documents), "queries": flat(queries)}


def own_multi_vector(folder, row, job, model):
    """ColBERT as in colbert-ai, with the markers after the first token, and queries filled with mask tokens."""
    tokenizer, settings = raw_tokenizer(folder, row), json.loads((folder / "artifact.metadata").read_text())
    projection = load_file(folder / "model.safetensors")["linear.weight"].float()
    mask = next(tokenizer.token_to_id(token) for token in ("[MASK]", "<mask>") if tokenizer.token_to_id(token) is not None)
    skipped = {tokenizer.encode(symbol, add_special_tokens=False).ids[0] for symbol in string.punctuation}

    def encode(text, name, longest, fills):
        tokenizer.enable_truncation(longest - 1)
        start, *ids = tokenizer.encode(text).ids
        ids = [start, tokenizer.token_to_id(settings[name]), *ids]
        filled = longest - len(ids) if fills else 0
        attention = torch.tensor([[1] * len(ids) + [int(settings["attend_to_mask_tokens"])] * filled])
        ids += [mask] * filled
        hidden = model(torch.tensor([ids]), attention)["last_hidden_state"][0]
        kept = torch.tensor([fills or token not in skipped for token in ids])
        return nn.functional.normalize(hidden @ projection.T, dim=-1)[kept].flatten().tolist()

    return {
        "rows": [encode(text, "doc_token", settings["doc_maxlen"], False) for text in job["texts"]],
        "queries": [encode(text, "query_token", settings["query_maxlen"], True) for text in job["texts"]],
    }


HEADS = dict(sparse=1, colbert=shapes.WIDTH)


def save_heads(folder):
    torch.manual_seed(9)
    for name, outputs in HEADS.items():
        linear = nn.Linear(shapes.WIDTH, outputs)
        torch.save({key: value.clone() for key, value in linear.state_dict().items()}, folder / f"{name}_linear.pt")


def m3(folder, row, job, model):
    """The dense vector, the weights of tokens, and the vectors of tokens, as in FlagEmbedding."""
    tokenizer = raw_tokenizer(folder, row)
    heads = {name: torch.load(folder / f"{name}_linear.pt", weights_only=True) for name in HEADS}
    apply = lambda name, hidden: nn.functional.linear(hidden, heads[name]["weight"], heads[name]["bias"])
    special = {tokenizer.token_to_id(token) for token in ("<s>", "</s>", "<pad>", "<unk>")}
    rows = []
    for text in job["texts"]:
        encoding = tokenizer.encode(text)
        hidden = model(**tensors(encoding)).last_hidden_state[0]
        weights = {}
        for token, weight in zip(encoding.ids, apply("sparse", hidden).relu()[:, 0].tolist()):
            if token not in special and weight > weights.get(token, 0):
                weights[token] = weight
        dense = nn.functional.normalize(hidden[0], dim=-1).tolist()
        vectors = nn.functional.normalize(apply("colbert", hidden[1:]), dim=-1).flatten().tolist()
        rows.append(dense + [weights[token] for token in sorted(weights)] + vectors)
    return {"rows": rows}


WORDS = {"qwen3": ("yes", "no"), "mxbai": ("1", "0"), "gemma": ("Yes",)}


def causal_pairs(folder, row, job, _):
    """Scores with the prompts of make_causal_rerankers.py."""
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    model = tf.AutoModelForCausalLM.from_pretrained(folder, **FLOAT).eval()
    ids = lambda text: tokenizer.encode(text, add_special_tokens=False).ids
    causal.POSITIONS = json.loads((folder / "config.json").read_text())["max_position_embeddings"]
    prompt, words = getattr(causal, row["prompt"]), [tokenizer.token_to_id(word) for word in WORDS[row["prompt"]]]
    return {"rows": [[causal.score(model, prompt(ids, job["question"], text), words)] for text in job["texts"]]}


REFERENCES = {
    "sentence": sentence, "own-sentence": own_sentence, "own-pairs": own_pairs, "pairs": logits("ForSequenceClassification", lambda job, text: (job["question"], text)),
    "texts": logits("ForSequenceClassification", lambda job, text: (text,)), "tokens": tokens, "zero-shot": zero_shot, "answers": answers,
    "masked": masked, "vectors": vectors, "sparse": sparse, "multi-vector": multi_vector, "own-multi-vector": own_multi_vector, "m3": m3, "causal": causal_pairs,
}
