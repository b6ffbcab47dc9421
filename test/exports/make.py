# make.py FOLDER TOKENIZER [NAME...]: writes small random models as transformers and sentence-transformers save them.
# make.py --check MODEL GRAPH: compares a graph with the model that it was exported from; prints the largest relative difference.
import json
import sys
from pathlib import Path

import numpy
import torch
import transformers as t

TEXTS = ["A short text.", "Another text, which has more words than the first one.", "x"]
SIZE = dict(
    vocab_size=2600,
    hidden_size=32,
    num_hidden_layers=2,
    num_attention_heads=4,
    intermediate_size=64,
    max_position_embeddings=130,
    pad_token_id=0,
)
PADDED = {**SIZE, "pad_token_id": 1}
XLM = dict(vocab_size=2600, emb_dim=32, n_layers=2, n_heads=4, max_position_embeddings=130, pad_index=0)
T5 = dict(vocab_size=2600, d_model=32, d_ff=64, d_kv=8, num_layers=2, num_heads=4)
LABELS = dict(id2label={0: "O", 1: "B-X", 2: "I-X"}, label2id={"O": 0, "B-X": 1, "I-X": 2})

MODELS = {
    "convbert-masked": lambda: t.ConvBertForMaskedLM(t.ConvBertConfig(**SIZE, embedding_size=32)),
    "convbert-tokens": lambda: t.ConvBertForTokenClassification(t.ConvBertConfig(**SIZE, **LABELS, embedding_size=32)),
    "roformer-answers": lambda: t.RoFormerForQuestionAnswering(t.RoFormerConfig(**SIZE)),
    "mobilebert": lambda: t.MobileBertModel(t.MobileBertConfig(**SIZE, embedding_size=32, intra_bottleneck_size=32)),
    "megatron-bert-texts": lambda: t.MegatronBertForSequenceClassification(t.MegatronBertConfig(**SIZE, **LABELS)),
    "flaubert": lambda: t.FlaubertModel(t.FlaubertConfig(**XLM)),
    "xlm": lambda: t.XLMModel(t.XLMConfig(**XLM)),
    "convbert": lambda: t.ConvBertModel(t.ConvBertConfig(**SIZE, embedding_size=32)),
    "squeezebert": lambda: t.SqueezeBertModel(t.SqueezeBertConfig(**SIZE, embedding_size=32)),
    "big_bird": lambda: t.BigBirdModel(t.BigBirdConfig(**SIZE, block_size=8, attention_type="original_full")),
    "data2vec-text": lambda: t.Data2VecTextModel(t.Data2VecTextConfig(**PADDED)),
    "rembert": lambda: t.RemBertModel(t.RemBertConfig(**SIZE, input_embedding_size=32)),
    "ibert": lambda: t.IBertModel(t.IBertConfig(**PADDED)),
    "splinter": lambda: t.SplinterModel(t.SplinterConfig(**SIZE)),
    "llama": lambda: t.LlamaModel(t.LlamaConfig(**SIZE)),
    "umt5-encoder": lambda: t.UMT5EncoderModel(t.UMT5Config(**T5)),
    "roc_bert": lambda: t.RoCBertModel(t.RoCBertConfig(**SIZE, pronunciation_vocab_size=99, shape_vocab_size=99)),
    "bert-relative": lambda: t.BertModel(t.BertConfig(**SIZE, position_embedding_type="relative_key")),
    "bert-mish": lambda: t.BertModel(t.BertConfig(**SIZE, hidden_act="mish")),
    "umt5": lambda: t.UMT5ForConditionalGeneration(t.UMT5Config(**T5)),
}


def make(folder, source, wanted):
    tokenizer = t.AutoTokenizer.from_pretrained(source)
    for name, create in MODELS.items():
        if wanted and name not in wanted and not (name == "convbert" and "sentences of convbert" in wanted):
            continue
        torch.manual_seed(0)
        create().eval().save_pretrained(folder / name)
        tokenizer.save_pretrained(folder / name)
    if not wanted or "own-code" in wanted:
        make_own_code(folder / "own-code", tokenizer)
    if not wanted or "sentences of convbert" in wanted:
        make_sentences(folder)


# As jina-embeddings-v2: the type is "bert", but only the model's own code knows how its positions count.
OWN_CODE = """
import torch
from transformers import BertModel


class DistantBert(BertModel):
    def get_extended_attention_mask(self, attention_mask, input_shape, *rest, **options):
        mask = super().get_extended_attention_mask(attention_mask, input_shape, *rest, **options)
        places = torch.arange(input_shape[1])
        slopes = torch.tensor([0.5, 0.25, 0.125, 0.0625])[:, None, None]
        return mask - (places[:, None] - places[None, :]).abs() * slopes
"""


def make_own_code(folder, tokenizer):
    model = t.BertModel(t.BertConfig(**SIZE)).eval()
    model.config.auto_map = {"AutoModel": "distant_bert.DistantBert"}
    model.save_pretrained(folder)
    stated = json.loads((folder / "config.json").read_text())
    stated.update(architectures=["DistantBert"], position_embedding_type="alibi")
    (folder / "config.json").write_text(json.dumps(stated))
    (folder / "distant_bert.py").write_text(OWN_CODE)
    tokenizer.save_pretrained(folder)


def make_sentences(folder):
    from sentence_transformers import SentenceTransformer, models

    encoder = models.Transformer(str(folder / "convbert"))
    pooling = models.Pooling(32, pooling_mode="mean")
    SentenceTransformer(modules=[encoder, pooling]).save(str(folder / "sentences of convbert"))


def check(source, graph):
    import onnxruntime

    config = t.AutoConfig.from_pretrained(source)
    trust = hasattr(config, "auto_map")
    architecture = t.AutoModel if trust else getattr(t, config.architectures[0])
    options = {"trust_remote_code": True, "attn_implementation": "eager"} if trust else {}
    model = architecture.from_pretrained(source, **options).float().eval()
    tokenizer = t.AutoTokenizer.from_pretrained(source)
    session = onnxruntime.InferenceSession(graph)
    names = [input.name for input in session.get_inputs()]
    worst = 0.0
    for texts in (TEXTS, TEXTS[:1], TEXTS[2:]):
        encoded = tokenizer(texts, padding=True, return_tensors="pt")
        values = {name: encoded[name] for name in names if name in encoded}
        if "position_ids" in names:
            values["position_ids"] = torch.arange(encoded["input_ids"].shape[1]).expand(len(texts), -1)
        given = {name: value.numpy() for name, value in values.items()}
        with torch.no_grad():
            result = model(**values, return_dict=True)
        for output, found in zip(session.get_outputs(), session.run(None, given)):
            if output.name not in result or result[output.name].shape != found.shape:
                continue
            expected = result[output.name].numpy()
            if expected.ndim == 3:
                mask = encoded["attention_mask"].numpy()[..., None]
                expected, found = expected * mask, found * mask
            worst = max(worst, float(abs(expected - found).max() / abs(expected).max()))
            compared = True
    print(worst if compared else "nothing was compared")


if sys.argv[1] == "--check":
    check(sys.argv[2], sys.argv[3])
else:
    make(Path(sys.argv[1]), sys.argv[2], sys.argv[3:])
