"""Values of config.json as published models have them, with small sizes, and models with random weights for them.

A base is a function that returns these values and the name of a transformers class, or a module of make_remote_code.py for models that have
their own code. `ids` has the ids of the tokenizer's special tokens.
"""

import torch
import transformers as tf

import vocabularies
from make_architectures import randomize
from make_remote_code import FLASH, JINA, NOMIC, Config, JinaBert, NomicMoe, XlmRobertaFlash

WIDTH, LENGTH = 32, 128
LAYERS = dict(hidden_size=WIDTH, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48)
COMMON = dict(attention_probs_dropout_prob=0.1, hidden_dropout_prob=0.1, initializer_range=0.02, torch_dtype="float32", transformers_version="4.44.2")
HIDDEN_ACT = dict(hidden_act="gelu")


def bert(ids):
    return dict(
        COMMON, **LAYERS, **HIDDEN_ACT, model_type="bert", layer_norm_eps=1e-12, max_position_embeddings=LENGTH, pad_token_id=0, type_vocab_size=2,
        classifier_dropout=None, gradient_checkpointing=False, position_embedding_type="absolute", use_cache=True,
    ), "Bert"


def roberta(ids, model_type="roberta", prefix="Roberta"):
    return dict(
        COMMON, **LAYERS, **HIDDEN_ACT, model_type=model_type, layer_norm_eps=1e-5, max_position_embeddings=LENGTH + 2, pad_token_id=1, bos_token_id=0,
        eos_token_id=2, type_vocab_size=1, position_embedding_type="absolute", use_cache=True, classifier_dropout=None, output_past=True,
    ), prefix


def xlm_roberta(ids):
    return roberta(ids, "xlm-roberta", "XLMRoberta")


def distilbert(ids):
    return dict(
        model_type="distilbert", activation="gelu", attention_dropout=0.1, dim=WIDTH, dropout=0.1, hidden_dim=48, initializer_range=0.02, n_heads=4,
        n_layers=2, max_position_embeddings=LENGTH, pad_token_id=0, qa_dropout=0.1, seq_classif_dropout=0.2, sinusoidal_pos_embds=False,
        tie_weights_=True, torch_dtype="float32",
    ), "DistilBert"


def mpnet(ids):
    return dict(
        COMMON, **LAYERS, **HIDDEN_ACT, model_type="mpnet", layer_norm_eps=1e-5, max_position_embeddings=LENGTH + 2, pad_token_id=1, bos_token_id=0,
        eos_token_id=2, relative_attention_num_buckets=32,
    ), "MPNet"


def deberta_v2(ids):
    return dict(
        COMMON, **LAYERS, **HIDDEN_ACT, model_type="deberta-v2", layer_norm_eps=1e-7, max_position_embeddings=LENGTH, max_relative_positions=-1,
        norm_rel_ebd="layer_norm", pad_token_id=0, pooler_dropout=0, pooler_hidden_act="gelu", pooler_hidden_size=WIDTH, pos_att_type="p2c|c2p",
        position_biased_input=False, position_buckets=32, relative_attention=True, share_att_key=True, type_vocab_size=0,
    ), "DebertaV2"


def modernbert(ids):
    return dict(
        hidden_size=WIDTH, num_hidden_layers=4, num_attention_heads=4, intermediate_size=48, model_type="modernbert", attention_bias=False,
        attention_dropout=0.0, classifier_activation="gelu", classifier_bias=False, classifier_dropout=0.0, classifier_pooling="mean",
        cls_token_id=ids["cls_token_id"], bos_token_id=ids["cls_token_id"], eos_token_id=ids["sep_token_id"], sep_token_id=ids["sep_token_id"],
        pad_token_id=ids["pad_token_id"], decoder_bias=True, deterministic_flash_attn=False, embedding_dropout=0.0, global_attn_every_n_layers=3,
        global_rope_theta=160000.0, gradient_checkpointing=False, hidden_activation="gelu", initializer_cutoff_factor=2.0, initializer_range=0.02,
        layer_norm_eps=1e-5, local_attention=32, local_rope_theta=10000.0, max_position_embeddings=LENGTH, mlp_bias=False, mlp_dropout=0.0,
        norm_bias=False, norm_eps=1e-5, position_embedding_type="absolute", sparse_pred_ignore_index=-100, sparse_prediction=False,
        torch_dtype="float32", transformers_version="4.48.0",
    ), "ModernBert"


def t5(ids):
    return dict(
        model_type="t5", d_ff=48, d_kv=8, d_model=WIDTH, decoder_start_token_id=0, dropout_rate=0.1, eos_token_id=1, feed_forward_proj="relu",
        initializer_factor=1.0, is_encoder_decoder=True, layer_norm_epsilon=1e-6, n_positions=LENGTH, num_decoder_layers=2, num_heads=4, num_layers=2,
        output_past=True, pad_token_id=0, relative_attention_num_buckets=32, torch_dtype="float32", use_cache=True,
    ), "T5"


def esm(ids):
    return dict(
        COMMON, **LAYERS, **HIDDEN_ACT, model_type="esm", layer_norm_eps=1e-5, max_position_embeddings=LENGTH + 2, pad_token_id=1,
        mask_token_id=ids["mask_token_id"], emb_layer_norm_before=False, esmfold_config=None, is_folding_model=False, position_embedding_type="rotary",
        token_dropout=True, use_cache=True, vocab_list=None, classifier_dropout=None,
    ), "Esm"


def bart(ids):
    return dict(
        model_type="bart", activation_function="gelu", d_model=WIDTH, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
        decoder_attention_heads=4, encoder_ffn_dim=48, decoder_ffn_dim=48, num_hidden_layers=2, max_position_embeddings=LENGTH, pad_token_id=1,
        bos_token_id=0, eos_token_id=2, decoder_start_token_id=2, forced_eos_token_id=2, is_encoder_decoder=True, scale_embedding=False,
        normalize_before=False, normalize_embedding=True, static_position_embeddings=False, classif_dropout=0.0, classifier_dropout=0.0,
        add_final_layer_norm=False, extra_pos_embeddings=2, use_cache=True,
    ), "Bart"


DECODER = dict(
    LAYERS, num_key_value_heads=2, hidden_act="silu", max_position_embeddings=LENGTH, rms_norm_eps=1e-6, attention_dropout=0.0, initializer_range=0.02,
    torch_dtype="bfloat16", use_cache=True,
)


def qwen2(ids):
    return dict(
        DECODER, model_type="qwen2", bos_token_id=ids.get("pad_token_id"), eos_token_id=ids.get("eos_token_id"), max_window_layers=2,
        rope_theta=1000000.0, sliding_window=LENGTH, use_sliding_window=False, tie_word_embeddings=False,
    ), "Qwen2"


def qwen3(ids):
    return dict(
        DECODER, model_type="qwen3", bos_token_id=ids.get("pad_token_id"), eos_token_id=ids.get("eos_token_id"), attention_bias=False, head_dim=16,
        max_window_layers=2, rope_scaling=None, rope_theta=1000000, sliding_window=None, use_sliding_window=False, tie_word_embeddings=True,
    ), "Qwen3"


def mistral(ids):
    return dict(
        DECODER, model_type="mistral", bos_token_id=ids["bos_token_id"], eos_token_id=ids["eos_token_id"], pad_token_id=ids["eos_token_id"],
        rope_theta=10000.0, sliding_window=48, tie_word_embeddings=False,
    ), "Mistral"


def gemma(ids):
    return dict(
        DECODER, model_type="gemma", bos_token_id=2, eos_token_id=1, pad_token_id=0, head_dim=16, hidden_act="gelu", hidden_activation=None,
        rope_theta=10000.0, attention_bias=False,
    ), "Gemma"


def gemma2(ids):
    return dict(
        DECODER, model_type="gemma2", bos_token_id=2, eos_token_id=1, pad_token_id=0, head_dim=16, hidden_act="gelu_pytorch_tanh",
        hidden_activation="gelu_pytorch_tanh", rope_theta=10000.0, attention_bias=False, attn_logit_softcapping=50.0, final_logit_softcapping=30.0,
        query_pre_attn_scalar=16, sliding_window=48, sliding_window_size=48, cache_implementation="hybrid",
    ), "Gemma2"


def gemma3(ids):
    return dict(
        DECODER, num_hidden_layers=3, model_type="gemma3_text", bos_token_id=2, eos_token_id=1, pad_token_id=0, head_dim=16,
        hidden_activation="gelu_pytorch_tanh", rope_theta=1000000.0, rope_local_base_freq=10000.0, rope_scaling=None, attention_bias=False,
        attn_logit_softcapping=None, final_logit_softcapping=None, query_pre_attn_scalar=16, sliding_window=24, use_bidirectional_attention=True,
        _sliding_window_pattern=3, layer_types=["sliding_attention", "sliding_attention", "full_attention"],
    ), "Gemma3Text"


def lfm2(ids):
    return dict(
        DECODER, num_hidden_layers=3, model_type="lfm2", bos_token_id=ids["bos_token_id"], eos_token_id=ids["eos_token_id"],
        pad_token_id=ids["pad_token_id"], block_auto_adjust_ff_dim=True, block_dim=WIDTH, block_ff_dim=48, block_ffn_dim_multiplier=1.0,
        block_mlp_init_scale=1.0, block_multiple_of=8, block_norm_eps=1e-5, block_out_init_scale=1.0, block_use_swiglu=True,
        block_use_xavier_init=True, conv_L_cache=3, conv_bias=False, conv_dim=WIDTH, conv_dim_out=WIDTH, conv_use_xavier_init=True,
        full_attn_idxs=[1], norm_eps=1e-5, num_heads=4, rope_theta=1000000.0, use_pos_enc=True,
    ), "Lfm2"


def new(ids, model_type="new"):
    """GTE v1.5, which transformers contains under the name Gte."""
    return dict(
        COMMON, **LAYERS, **HIDDEN_ACT, model_type=model_type, layer_norm_eps=1e-12, layer_norm_type="layer_norm", logn_attention_clip1=False,
        logn_attention_scale=False, max_position_embeddings=LENGTH, pack_qkv=True, pad_token_id=ids["pad_token_id"],
        position_embedding_type="rope", rope_scaling=None, rope_theta=20000.0, type_vocab_size=1, unpad_inputs=False, use_memory_efficient_attention=False,
    ), "Gte"


def gte(ids):
    return new(ids, "gte")


def nomic(ids):
    """Nomic v1, which transformers contains with other names of keys."""
    return dict(
        model_type="nomic_bert", activation_function="swiglu", attn_pdrop=0.0, bos_token_id=None, causal=False, dense_seq_output=True, embd_pdrop=0.0,
        eos_token_id=None, fused_bias_fc=True, fused_dropout_add_ln=True, initializer_range=0.02, layer_norm_epsilon=1e-12, mlp_fc1_bias=False,
        mlp_fc2_bias=False, n_embd=WIDTH, n_head=4, n_inner=48, n_layer=2, n_positions=LENGTH, pad_vocab_size_multiple=64, parallel_block=False,
        parallel_block_tied_norm=False, prenorm=False, qkv_proj_bias=False, reorder_and_upcast_attn=False, resid_pdrop=0.0, rotary_emb_base=1000,
        rotary_emb_fraction=1.0, rotary_emb_interleaved=False, rotary_emb_scale_base=None, rotary_scaling_factor=None, scale_attn_by_inverse_layer_idx=False,
        scale_attn_weights=True, summary_activation=None, torch_dtype="float32", type_vocab_size=2, use_cache=True, use_flash_attn=True,
        use_rms_norm=False, use_xentropy=True,
    ), "NomicBert"


def nomic_moe(ids):
    return dict(NOMIC, n_embd=WIDTH, n_head=4, n_inner=48, n_positions=LENGTH, num_experts=8, expert_choice_router=False), NomicMoe


def jina_v2(ids):
    return dict(
        JINA, **LAYERS, feed_forward_type="geglu", emb_pooler="mean", model_max_length=8192, attn_implementation=None, initializer_range=0.02,
        classifier_dropout=None, attention_probs_dropout_prob=0.0, hidden_dropout_prob=0.1, gradient_checkpointing=False, use_cache=True,
        torch_dtype="float16",
    ), JinaBert


def jina_code(ids):
    """The models for code and German also normalize queries and keys."""
    values, kind = jina_v2(ids)
    return dict(values, pad_token_id=ids["pad_token_id"], type_vocab_size=2), kind


def flash(ids):
    """Jina's XLM-RoBERTa."""
    return dict(FLASH, **LAYERS, max_position_embeddings=LENGTH + 2, load_trained_adapters=False, matryoshka_dimensions=[16, 32]), XlmRobertaFlash


BASES = dict(
    bert=bert, roberta=roberta, **{"xlm-roberta": xlm_roberta, "deberta-v2": deberta_v2, "nomic-moe": nomic_moe, "jina-v2": jina_v2, "jina-code": jina_code},
    distilbert=distilbert, mpnet=mpnet, modernbert=modernbert, t5=t5, esm=esm, bart=bart, qwen2=qwen2, qwen3=qwen3, mistral=mistral, gemma=gemma,
    gemma2=gemma2, gemma3=gemma3, lfm2=lfm2, new=new, gte=gte, nomic=nomic, flash=flash,
)
# Keys of Nomic's own code, and of the class in transformers.
NOMIC_KEYS = dict(n_embd="hidden_size", n_head="num_attention_heads", n_inner="intermediate_size", n_layer="num_hidden_layers",
                  n_positions="max_position_embeddings", layer_norm_epsilon="layer_norm_eps")


def transformers_config(values):
    """The configuration of the class that computes the reference."""
    kind = values["model_type"]
    if kind in ("new", "gte"):
        known = {key: values[key] for key in (*LAYERS, "hidden_act", "layer_norm_eps", "max_position_embeddings", "pad_token_id", "type_vocab_size", "vocab_size")}
        more = {key: values[key] for key in ("id2label", "label2id") if key in values}
        return tf.GteConfig(**known, **more, rope_parameters={"rope_type": "default", "rope_theta": values["rope_theta"]})
    if kind == "nomic_bert":
        known = {NOMIC_KEYS.get(key, key): values[key] for key in (*NOMIC_KEYS, "type_vocab_size", "vocab_size")}
        return tf.NomicBertConfig(**known, pad_token_id=0, hidden_act="silu", rope_parameters={"rope_type": "default", "rope_theta": values["rotary_emb_base"]})
    values = {key: value for key, value in values.items() if key not in ("torch_dtype", "transformers_version", "architectures", "auto_map")}
    return tf.AutoConfig.for_model(values.pop("model_type"), **values)


class Remote:
    """A module of make_remote_code.py behind the interface of transformers."""

    def __init__(self, module):
        self.module = module

    def __call__(self, input_ids, attention_mask, token_type_ids=None):
        types = torch.zeros_like(input_ids) if token_type_ids is None else token_type_ids
        hidden, logits = self.module(input_ids, attention_mask, types)
        return tf.modeling_outputs.TokenClassifierOutput(logits=logits, hidden_states=None) | {"last_hidden_state": hidden}


def rounded(model, values):
    """Weights with the precision that config.json states, as in the file. The reference is computed in float32 with the same numbers."""
    for weight in model.parameters():
        weight.copy_(weight.to(getattr(torch, values.get("torch_dtype", "float32"))))
    return model


def random_model(values, kind, head, more_norms=False):
    """A model with random weights, and its weights with the names of the published file."""
    torch.manual_seed(7)
    if not isinstance(kind, str):
        config = Config({**values, "more_norms": more_norms})
        model = rounded(randomize(kind(config, "text" if head == "ForSequenceClassification" else "hidden")), values)
        return Remote(model), model.state_dict()
    config = transformers_config(values)
    config._attn_implementation = "eager"
    model = getattr(tf, kind + head)(config)
    scale_rotation(model, values)
    return rounded(randomize(model), values), None


def scale_rotation(model, values):
    """The rotation of GTE v1.5 for longer texts (NTK), which transformers does not have."""
    scaling = values.get("rope_scaling")
    if values["model_type"] != "new" or not scaling:
        return
    size = values["hidden_size"] // values["num_attention_heads"]
    base, factor = values["rope_theta"] * scaling["factor"], scaling["factor"]
    frequencies = 1.0 / (base ** (torch.arange(0, size, 2).float() / size)) / factor ** (2 / size)
    buffers = [buffer for name, buffer in model.named_buffers() if name.endswith("rotary_emb.inv_freq")]
    assert len(buffers) == 1
    buffers[0].copy_(frequencies)


__all__ = ["BASES", "LENGTH", "WIDTH", "random_model", "vocabularies"]
