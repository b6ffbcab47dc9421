"""Small tokenizers with the files and settings of published models, one function for each kind."""

import json
import shutil
from pathlib import Path

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import AutoTokenizer

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "fixtures"
import make_causal_rerankers as causal
from tokenizer_lines import lines

BERT = dict(unk_token="[UNK]", sep_token="[SEP]", pad_token="[PAD]", cls_token="[CLS]", mask_token="[MASK]")
ROBERTA = dict(bos_token="<s>", eos_token="</s>", sep_token="</s>", cls_token="<s>", unk_token="<unk>", pad_token="<pad>", mask_token="<mask>")
# The fixture of each kind, its files, the class that tokenizer_config.json names, and its settings.
FROM_FIXTURES = {
    "bert": ("bert", ["vocab.txt"], "BertTokenizer", dict(BERT, do_lower_case=True, strip_accents=None, tokenize_chinese_chars=True)),
    "bert-cased": ("bert", ["vocab.txt"], "BertTokenizer", dict(BERT, do_lower_case=False, strip_accents=None, tokenize_chinese_chars=True)),
    "distilbert": ("bert", ["vocab.txt"], "DistilBertTokenizer", dict(BERT, do_lower_case=True, strip_accents=None, tokenize_chinese_chars=True)),
    "mpnet": ("mpnet", ["vocab.txt"], "MPNetTokenizer", dict(
        bos_token="<s>", eos_token="</s>", sep_token="</s>", cls_token="<s>", unk_token="[UNK]", pad_token="<pad>", mask_token="<mask>", do_lower_case=True,
        strip_accents=None, tokenize_chinese_chars=True)),
    "roberta": ("roberta", ["vocab.json", "merges.txt"], "RobertaTokenizer", dict(ROBERTA, add_prefix_space=False, trim_offsets=True, errors="replace")),
    "xlm-roberta": ("xlm-roberta", ["sentencepiece.bpe.model"], "XLMRobertaTokenizer", ROBERTA),
    "t5": ("t5", ["spiece.model"], "T5Tokenizer", dict(eos_token="</s>", unk_token="<unk>", pad_token="<pad>", extra_ids=0)),
    "deberta-v3": ("deberta-v2", ["spm.model"], "DebertaV2Tokenizer", dict(
        BERT, bos_token="[CLS]", eos_token="[SEP]", do_lower_case=False, split_by_punct=False, sp_model_kwargs={}, vocab_type="spm")),
    "esm": ("esm", ["vocab.txt"], "EsmTokenizer", dict(cls_token="<cls>", pad_token="<pad>", eos_token="<eos>", unk_token="<unk>", mask_token="<mask>")),
}
SPECIAL = ("bos_token", "eos_token", "sep_token", "cls_token", "unk_token", "pad_token", "mask_token")


def template(tokenizer, before, after, pair=()):
    """The tokens around a text, and around and between two texts."""
    name = lambda token: token.replace(":", "")
    single = " ".join([*before, "$A", *after])
    return processors.TemplateProcessing(
        single=single, pair=" ".join([*before, "$A", *(pair or after), "$B:1", *(f"{token}:1" for token in after)]),
        special_tokens=[(name(token), tokenizer.token_to_id(token)) for token in {*before, *after, *pair}],
    )


def byte_level(special, before, after, classes):
    """Byte-level BPE, as in ModernBERT, Jina's model for code, and LFM2."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    corpus = [line for line in lines(150, False) if "<" not in line and "[" not in line]
    tokenizer.train_from_iterator(corpus, trainers.BpeTrainer(
        vocab_size=256 + 200, show_progress=False, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    tokenizer.add_special_tokens([AddedToken(token, normalized=False) for token in special])
    tokenizer.post_processor = template(tokenizer, before, after)
    if classes["tokenizer_class"] == "RobertaTokenizer":
        tokenizer.post_processor = processors.RobertaProcessing(("</s>", tokenizer.token_to_id("</s>")), ("<s>", tokenizer.token_to_id("<s>")), add_prefix_space=False)
    return tokenizer, classes


def qwen(embedding):
    tokenizer = causal.qwen_tokenizer()
    if embedding:
        tokenizer.post_processor = processors.Sequence([
            processors.ByteLevel(trim_offsets=False, add_prefix_space=False, use_regex=False), template(tokenizer, [], ["<|endoftext|>"])])
    return tokenizer, dict(
        tokenizer_class="Qwen2Tokenizer", pad_token="<|endoftext|>", eos_token="<|im_end|>" if embedding else "<|endoftext|>", add_prefix_space=False, bos_token=None,
        unk_token=None, errors="replace", split_special_tokens=False)


def gte_qwen():
    """The code in the model's folder adds the end token, which tokenizer.json does not."""
    tokenizer, settings = qwen(False)
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False, add_prefix_space=False, use_regex=False)
    code = ["tokenization_qwen.Qwen2Tokenizer", "tokenization_qwen.Qwen2TokenizerFast"]
    return tokenizer, dict(settings, add_eos_token=True, auto_map={"AutoTokenizer": code})


def gemma(before=("<bos>",), **settings):
    tokenizer = causal.gemma_tokenizer()
    tokenizer.post_processor = template(tokenizer, before, ["<eos>"])
    return tokenizer, dict(
        tokenizer_class="GemmaTokenizer", add_bos_token=bool(before), add_eos_token=True, bos_token="<bos>", eos_token="<eos>", pad_token="<pad>",
        unk_token="<unk>", clean_up_tokenization_spaces=False, **settings)


def llama():
    """The tokenizer of Mistral. Version 4 of transformers adds the end token because of the setting, not because of tokenizer.json."""
    fields = json.loads(causal.gemma_tokenizer().to_str().replace("<bos>", "<s>").replace("<eos>", "</s>"))
    tokenizer = Tokenizer.from_str(json.dumps(fields))
    tokenizer.post_processor = template(tokenizer, ["<s>"], [])
    return tokenizer, dict(
        tokenizer_class="LlamaTokenizer", add_bos_token=True, add_eos_token=True, bos_token="<s>", eos_token="</s>", pad_token="</s>", unk_token="<unk>",
        legacy=True, use_default_system_prompt=False)


MODERN = ["[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"]
MADE = {
    "modernbert": lambda: byte_level(MODERN, ["[CLS]"], ["[SEP]"], dict(BERT, tokenizer_class="PreTrainedTokenizerFast", clean_up_tokenization_spaces=True)),
    "jina-code": lambda: byte_level(list(dict.fromkeys(ROBERTA.values())), ["<s>"], ["</s>"], dict(ROBERTA, tokenizer_class="RobertaTokenizer", add_prefix_space=False)),
    "lfm2": lambda: byte_level(["<|pad|>", "<|startoftext|>", "<|im_end|>", "[Q] ", "[D] "], ["<|startoftext|>"], [], dict(
        tokenizer_class="PreTrainedTokenizerFast", bos_token="<|startoftext|>", eos_token="<|im_end|>", pad_token="<|pad|>", add_bos_token=True, add_eos_token=False)),
    "qwen": lambda: qwen(False), "qwen-embedding": lambda: qwen(True), "gte-qwen": gte_qwen, "gemma": gemma, "llama": llama,
    # Its texts should be in lower case, but transformers ignores this setting.
    "siglip2": lambda: gemma(before=(), do_lower_case=True, padding_side="right"),
}


def write_json(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def write_vocabulary(folder, kind, max_length, added=(), names=None, slow_only=False):
    """Writes the tokenizer's files; returns its size and the ids of its special tokens."""
    folder.mkdir(parents=True, exist_ok=True)
    if kind in FROM_FIXTURES:
        fixture, files, name, settings = FROM_FIXTURES[kind]
        for file in files:
            shutil.copy(FIXTURES / "tokenizers" / fixture / file, folder)
        settings = {"tokenizer_class": name, **settings}
    else:
        tokenizer, settings = MADE[kind]()
        tokenizer.add_special_tokens([AddedToken(token, normalized=False, special=True) for token in added])
        tokenizer.save(str(folder / "tokenizer.json"))
    settings = {"model_max_length": max_length, **settings, **({"model_input_names": names} if names else {})}
    write_json(folder / "tokenizer_config.json", settings)
    if kind in FROM_FIXTURES and kind != "esm":
        # transformers writes tokenizer.json from the vocabulary, and the published folders have both.
        converted = AutoTokenizer.from_pretrained(folder)
        converted.add_tokens([AddedToken(token, special=True) for token in added], special_tokens=True)
        converted._tokenizer.no_truncation()
        converted._tokenizer.no_padding()
        if not slow_only:
            converted._tokenizer.save(str(folder / "tokenizer.json"))
        count, id_of = len(converted), converted.convert_tokens_to_ids
    elif kind == "esm":
        words = (folder / "vocab.txt").read_text().splitlines()
        count, id_of = len(words), words.index
    else:
        count, id_of = tokenizer.get_vocab_size(), tokenizer.token_to_id
    special = {key: settings[key] for key in SPECIAL if settings.get(key)}
    write_json(folder / "special_tokens_map.json", special)
    return count, {f"{key}_id": id_of(token) for key, token in special.items()}
