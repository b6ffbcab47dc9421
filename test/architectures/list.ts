/** An architecture with a published size and random weights. */
export interface SizedArchitecture {
  readonly name: string;
  /** Values of config.json. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Whether the graph has a `token_type_ids` input. */
  readonly types: boolean;
  /** The heads that transformers has for the encoder. */
  readonly heads: readonly Head[];
}

/** Build settings for each head. */
export const HEADS = {
  'vectors of texts': { model_type: 'sentence_embedding', pooling: 'mean', normalize: false },
  'labels of texts': { model_type: 'sequence_classification' },
  'labels of tokens': { model_type: 'token_classification' },
} as const;
export type Head = keyof typeof HEADS;
const ALL_HEADS = Object.keys(HEADS) as Head[];

const SIZES = {
  vocab_size: 30_522,
  hidden_size: 384,
  num_hidden_layers: 6,
  num_attention_heads: 12,
  intermediate_size: 1536,
};
const ROBERTA = {
  ...SIZES,
  type_vocab_size: 1,
  pad_token_id: 1,
  max_position_embeddings: 514,
  layer_norm_eps: 1e-5,
};

const sized = (
  config: SizedArchitecture['config'],
  types = false,
  heads: readonly Head[] = ALL_HEADS,
): SizedArchitecture => ({ name: String(config['model_type']), config, types, heads });

/** Sizes of a decoder model that is used as an encoder. */
const DECODER = {
  ...SIZES,
  num_attention_heads: 6,
  num_key_value_heads: 2,
  intermediate_size: 1024,
  pad_token_id: 0,
};

/** All architectures in transformers 4. The others, such as NomicBERT and EuroBERT, are tested with small models. */
export const SIZED_ARCHITECTURES: readonly SizedArchitecture[] = [
  sized({ ...SIZES, model_type: 'bert' }, true),
  sized({ ...ROBERTA, model_type: 'roberta' }),
  sized({ ...ROBERTA, model_type: 'xlm-roberta' }),
  sized({ ...ROBERTA, model_type: 'camembert' }),
  sized({ ...ROBERTA, model_type: 'xlm-roberta-xl' }),
  sized({ ...ROBERTA, model_type: 'luke', entity_vocab_size: 10, entity_emb_size: 16 }),
  sized({ ...SIZES, model_type: 'ernie', use_task_id: true }, true),
  sized({ ...ROBERTA, model_type: 'longformer', attention_window: 32 }),
  sized({ ...SIZES, model_type: 'layoutlm' }, true, ['labels of texts', 'labels of tokens']),
  sized({ ...ROBERTA, model_type: 'lilt' }),
  sized({
    model_type: 'distilbert',
    vocab_size: SIZES.vocab_size,
    dim: 384,
    n_layers: 6,
    n_heads: 12,
    hidden_dim: 1536,
  }),
  sized({ ...ROBERTA, model_type: 'mpnet' }),
  sized({
    ...ROBERTA,
    model_type: 'esm',
    mask_token_id: 4,
    position_embedding_type: 'rotary',
    token_dropout: true,
  }),
  // Its classifiers read the last end token, which the texts do not contain.
  sized(
    {
      model_type: 'bart',
      vocab_size: SIZES.vocab_size,
      d_model: 384,
      encoder_layers: 3,
      decoder_layers: 3,
      encoder_attention_heads: 6,
      decoder_attention_heads: 6,
      encoder_ffn_dim: 1536,
      decoder_ffn_dim: 1536,
      max_position_embeddings: 512,
    },
    false,
    ['vectors of texts'],
  ),
  sized({ ...SIZES, embedding_size: 128, model_type: 'electra' }, true),
  sized({ ...SIZES, embedding_size: 128, model_type: 'albert' }, true),
  sized({
    ...SIZES,
    model_type: 'deberta-v2',
    relative_attention: true,
    position_buckets: 256,
    norm_rel_ebd: 'layer_norm',
    share_att_key: true,
    pos_att_type: ['p2c', 'c2p'],
    position_biased_input: false,
    type_vocab_size: 0,
    pooler_hidden_size: 384,
  }),
  sized({
    ...SIZES,
    model_type: 'deberta',
    relative_attention: true,
    max_relative_positions: -1,
    pos_att_type: ['c2p', 'p2c'],
    position_biased_input: false,
    type_vocab_size: 0,
    pooler_hidden_size: 384,
  }),
  sized({
    ...SIZES,
    model_type: 'modernbert',
    intermediate_size: 576,
    local_attention: 128,
    pad_token_id: 0,
    bos_token_id: 1,
    eos_token_id: 2,
    cls_token_id: 1,
    sep_token_id: 2,
    reference_compile: false,
  }),
  sized({ ...DECODER, model_type: 'qwen3', head_dim: 64 }),
  sized({ ...DECODER, model_type: 'qwen2' }),
  sized({ ...DECODER, model_type: 'mistral', sliding_window: 48 }),
  sized(
    {
      ...DECODER,
      model_type: 'gemma3_text',
      head_dim: 64,
      query_pre_attn_scalar: 64,
      sliding_window: 48,
      sliding_window_pattern: 3,
      use_bidirectional_attention: true,
    },
    false,
    ['vectors of texts', 'labels of texts'],
  ),
  sized(
    {
      ...DECODER,
      model_type: 'gemma2',
      head_dim: 64,
      query_pre_attn_scalar: 64,
      sliding_window: 48,
      attn_logit_softcapping: 2.5,
    },
    false,
    ['vectors of texts', 'labels of texts'],
  ),
  sized({ ...DECODER, model_type: 'lfm2', full_attn_idxs: [2, 4] }, false, ['vectors of texts']),
  sized(
    {
      model_type: 't5',
      vocab_size: SIZES.vocab_size,
      d_model: 384,
      d_kv: 64,
      d_ff: 1024,
      num_layers: 6,
      num_heads: 6,
      feed_forward_proj: 'gated-gelu',
      decoder_start_token_id: 0,
    },
    false,
    ['vectors of texts', 'labels of tokens'],
  ),
];
