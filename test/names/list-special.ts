import { bare, type NamedModel, sentence, xlmr } from './shape.ts';

const ST = 'sentence-transformers';
const MODERN = { base: 'modernbert', tokenizer: 'modernbert' };
const DEBERTA = { base: 'deberta-v2', tokenizer: 'deberta-v3' };
const ONE = { labels: ['LABEL_0'] };
const FLASH = { base: 'flash', tokenizer: 'xlm-roberta' };
const QWEN3 = {
  base: 'qwen3',
  tokenizer: 'qwen',
  prompt: 'qwen3',
  max: 131_072,
  config: { max_position_embeddings: 224, tie_word_embeddings: true },
};
const MXBAI = {
  base: 'qwen2',
  tokenizer: 'qwen',
  prompt: 'mxbai',
  max: 131_072,
  config: { max_position_embeddings: 224, tie_word_embeddings: true },
};
const PUNCTUATION = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'.split('');
const STANFORD = {
  dim: 16,
  doc_maxlen: 120,
  query_maxlen: 32,
  mask_punctuation: true,
  attend_to_mask_tokens: false,
  query_token: '[unused0]',
  doc_token: '[unused1]',
  query_token_id: '[unused0]',
  doc_token_id: '[unused1]',
  similarity: 'cosine',
  interaction: 'colbert',
};
const stanford = (name: string): NamedModel =>
  bare(name, 'multi-vector', {
    reference: 'own-multi-vector',
    added: ['[unused0]', '[unused1]'],
    prefix: 'bert.',
    extra: { 'linear.weight': [16, 32] },
    config: { architectures: ['HF_ColBERT'] },
    files: { 'artifact.metadata': STANFORD },
  });
const pylate = (name: string, fields: Readonly<Record<string, unknown>>): NamedModel => ({
  ...sentence(name, {
    dense: [{ outputs: 16 }],
    denseClass: 'pylate.models.Dense.Dense',
    settings: {
      query_prefix: '[Q] ',
      document_prefix: '[D] ',
      query_length: 32,
      document_length: 100,
      attend_to_expansion_tokens: false,
      do_query_expansion: true,
      skiplist_words: PUNCTUATION,
      similarity_fn_name: 'MaxSim',
    },
    ...fields,
  }),
  task: 'multi-vector',
});
const SPLADE = {
  settings: { model_type: 'SparseEncoder', similarity_fn_name: 'dot' },
  modules: [
    ['', 'sentence_transformers.sparse_encoder.models.MLMTransformer', null],
    [
      '1_SpladePooling',
      'sentence_transformers.sparse_encoder.models.SpladePooling',
      { pooling_strategy: 'max', activation_function: 'relu' },
    ],
  ],
};
/** Without `own`, the folder has no tokenizer, and its settings only name the encoder. */
const gliner = (name: string, from: string, fields: Readonly<Record<string, unknown>> = {}): NamedModel => ({
  name,
  task: 'gliner',
  from,
  ...DEBERTA,
  ...fields,
});

/** Static models, rerankers, multi-vector and sparse models, and GLiNER. */
export const SPECIAL: readonly NamedModel[] = [
  { name: `${ST}/static-retrieval-mrl-en-v1`, task: 'static', tokenizer: 'bert' },
  { name: `${ST}/static-similarity-mrl-multilingual-v1`, task: 'static', tokenizer: 'bert-cased' },
  ...['potion-base-2M', 'potion-base-8M', 'potion-base-32M', 'potion-retrieval-32M', 'M2V_base_output'].map(
    (name): NamedModel => ({
      name: `minishlab/${name}`,
      task: 'model2vec',
      tokenizer: 'bert',
      from: 'baai/bge-base-en-v1.5',
    }),
  ),
  {
    name: 'minishlab/potion-multilingual-128M',
    task: 'model2vec',
    tokenizer: 'xlm-roberta',
    from: 'baai/bge-m3',
  },
  ...['base', 'large', 'v2-m3'].map((size) =>
    bare(`BAAI/bge-reranker-${size}`, 'pairs', { ...xlmr, ...ONE }),
  ),
  bare('BAAI/bge-reranker-v2-gemma', 'causal', {
    base: 'gemma',
    tokenizer: 'gemma',
    prompt: 'gemma',
    max: 131_072,
    config: { max_position_embeddings: 224 },
  }),
  bare('Alibaba-NLP/gte-multilingual-reranker-base', 'pairs', {
    base: 'new',
    tokenizer: 'xlm-roberta',
    reference: 'own-pairs',
    ...ONE,
    config: { architectures: ['NewForSequenceClassification'] },
  }),
  bare('Alibaba-NLP/gte-reranker-modernbert-base', 'pairs', { ...MODERN, ...ONE }),
  ...['0.6B', '4B', '8B'].map((size) => bare(`Qwen/Qwen3-Reranker-${size}`, 'causal', QWEN3)),
  ...['xsmall', 'base', 'large'].map((size) =>
    bare(`mixedbread-ai/mxbai-rerank-${size}-v1`, 'pairs', { ...DEBERTA, ...ONE }),
  ),
  ...['base', 'large'].map((size) => bare(`mixedbread-ai/mxbai-rerank-${size}-v2`, 'causal', MXBAI)),
  ...['tiny', 'turbo'].map((size) =>
    bare(`jinaai/jina-reranker-v1-${size}-en`, 'pairs', {
      base: 'jina-v2',
      tokenizer: 'jina-code',
      reference: 'own-pairs',
      ...ONE,
      config: { architectures: ['JinaBertForSequenceClassification'], pad_token_id: 1 },
    }),
  ),
  bare('jinaai/jina-reranker-v2-base-multilingual', 'pairs', {
    ...FLASH,
    reference: 'own-pairs',
    ...ONE,
    config: {
      architectures: ['XLMRobertaForSequenceClassification'],
      model_type: 'xlm-roberta',
      position_embedding_type: 'absolute',
      lora_adaptations: null,
    },
  }),
  bare('ibm-granite/granite-embedding-reranker-english-r2', 'pairs', {
    ...MODERN,
    ...ONE,
    config: { classifier_pooling: 'cls' },
  }),
  ...['ms-marco-MiniLM-L6-v2', 'ms-marco-TinyBERT-L2-v2'].map((name) =>
    bare(`cross-encoder/${name}`, 'pairs', ONE),
  ),
  bare('cross-encoder/stsb-roberta-base', 'pairs', { base: 'roberta', tokenizer: 'roberta', ...ONE }),
  bare('cross-encoder/quora-distilroberta-base', 'pairs', { base: 'roberta', tokenizer: 'roberta', ...ONE }),
  stanford('colbert-ir/colbertv2.0'),
  stanford('answerdotai/answerai-colbert-small-v1'),
  pylate('lightonai/GTE-ModernColBERT-v1', {
    ...MODERN,
    added: ['[Q] ', '[D] '],
    config: { local_attention: 96 },
  }),
  pylate('LiquidAI/LFM2-ColBERT-350M', { base: 'lfm2', tokenizer: 'lfm2' }),
  {
    ...sentence('jinaai/jina-colbert-v2', { ...FLASH, extra: { 'linear.weight': [16, 32] } }),
    task: 'multi-vector',
    bare: true,
    reference: 'own-multi-vector',
    added: ['[QueryMarker]', '[DocumentMarker]'],
    config: {
      architectures: ['HF_ColBERT'],
      auto_map: { AutoModel: 'jinaai/xlm-roberta-flash-implementation--modeling_lora.XLMRobertaLoRA' },
    },
    files: {
      'artifact.metadata': {
        ...STANFORD,
        query_token: '[QueryMarker]',
        doc_token: '[DocumentMarker]',
        query_token_id: '[QueryMarker]',
        doc_token_id: '[DocumentMarker]',
        attend_to_mask_tokens: true,
      },
    },
  },
  { ...sentence('naver/splade-v3', SPLADE), task: 'sparse' },
  bare('prithivida/Splade_PP_en_v1', 'sparse'),
  {
    ...sentence('ibm-granite/granite-embedding-30m-sparse', {
      ...SPLADE,
      base: 'roberta',
      tokenizer: 'roberta',
    }),
    task: 'sparse',
  },
  ...[
    ['opensearch-neural-sparse-encoding-doc-v2-distill', 'relu'],
    ['opensearch-neural-sparse-encoding-doc-v3-distill', 'log1p_relu'],
  ].map(([name, activation]): NamedModel => ({
    name: `opensearch-project/${name}`,
    task: 'router',
    base: 'distilbert',
    tokenizer: 'distilbert',
    head: 'ForMaskedLM',
    activation,
  })),
  gliner('urchade/gliner_small-v2.1', 'microsoft/deberta-v3-small'),
  gliner('urchade/gliner_medium-v2.1', 'microsoft/deberta-v3-base'),
  gliner('urchade/gliner_large-v2.1', 'microsoft/deberta-v3-large'),
  gliner('urchade/gliner_multi-v2.1', 'microsoft/mdeberta-v3-base'),
  gliner('knowledgator/modern-gliner-bi-base-v1.0', 'answerdotai/ModernBERT-base', {
    ...MODERN,
    own: true,
    config: { labels_encoder: 'BAAI/bge-small-en-v1.5' },
  }),
  gliner('knowledgator/gliner-pii-base-v1.0', 'microsoft/deberta-v3-base', { own: true }),
  gliner('numind/NuNER_Zero', 'microsoft/deberta-v3-large', {
    weights: 'safetensors',
    config: { span_mode: 'token_level' },
  }),
];
