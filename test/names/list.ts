import { IMAGES } from './list-images.ts';
import { type NamedModel, sentence, SEARCH, xlmr } from './shape.ts';
import { CLASSIFIERS } from './list-classifiers.ts';
import { SPECIAL } from './list-special.ts';

const QUERY = { prompts: { query: SEARCH } };
const E5 = { prompts: { query: 'query: ', passage: 'passage: ' } };
const BGE = { pooling: 'cls', normalize: true, ...QUERY };
const MEAN = { pooling: 'mean', normalize: true };
const ST = 'sentence-transformers';
const PARAPHRASE = { pooling: 'mean', max: 128 };
const T5 = { base: 't5', tokenizer: 't5', architecture: 'T5EncoderModel', ...MEAN, dense: [{ outputs: 24 }] };
const NEW = { base: 'new', tokenizer: 'bert', own: true };
const NEW_CODE = {
  architectures: ['NewModel'],
  auto_map: {
    AutoConfig: 'Alibaba-NLP/new-impl--configuration.NewConfig',
    AutoModel: 'Alibaba-NLP/new-impl--modeling.NewModel',
  },
};
const GRANITE = { pooling: 'cls', normalize: true };
const ROBERTA = { base: 'roberta', tokenizer: 'roberta' };
const MPNET = { base: 'mpnet', tokenizer: 'mpnet' };
const MODERN = { base: 'modernbert', tokenizer: 'modernbert' };
const NOMIC = {
  base: 'nomic',
  tokenizer: 'bert',
  own: true,
  config: { auto_map: { AutoModel: 'nomic-ai/nomic-bert-2048--modeling_hf_nomic_bert.NomicBertModel' } },
};
const QWEN3 = {
  base: 'qwen3',
  tokenizer: 'qwen-embedding',
  pooling: 'last',
  normalize: true,
  config: { architectures: ['Qwen3ForCausalLM'] },
  prompts: {
    query: 'Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:',
    document: '',
  },
};
const QWEN2 = { base: 'qwen2', tokenizer: 'qwen-embedding', pooling: 'last', normalize: true };
const MISTRAL = { base: 'mistral', tokenizer: 'llama', own: true, pooling: 'last', normalize: true };
const INSTRUCT =
  'Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: ';
const JINA_CODE = {
  AutoConfig: 'jinaai/jina-bert-implementation--configuration_bert.JinaBertConfig',
  AutoModel: 'jinaai/jina-bert-implementation--modeling_bert.JinaBertModel',
};
const JINA = {
  base: 'jina-v2',
  tokenizer: 'bert',
  own: true,
  ...MEAN,
  config: { architectures: ['JinaBertForMaskedLM'], auto_map: JINA_CODE },
};

/** Models whose texts become one vector each. */
const VECTORS: readonly NamedModel[] = [
  sentence(`${ST}/all-MiniLM-L6-v2`, {
    ...MEAN,
    config: { _name_or_path: 'nreimers/MiniLM-L6-H384-uncased' },
  }),
  sentence(`${ST}/all-MiniLM-L12-v2`, { ...MEAN, max: 64 }),
  sentence(`${ST}/all-mpnet-base-v2`, { ...MPNET, ...MEAN, config: { architectures: ['MPNetForMaskedLM'] } }),
  sentence(`${ST}/multi-qa-MiniLM-L6-cos-v1`, MEAN),
  sentence(`${ST}/multi-qa-mpnet-base-dot-v1`, { ...MPNET, pooling: 'cls' }),
  sentence(`${ST}/paraphrase-MiniLM-L6-v2`, PARAPHRASE),
  sentence(`${ST}/paraphrase-multilingual-MiniLM-L12-v2`, { ...PARAPHRASE, tokenizer: 'xlm-roberta' }),
  sentence(`${ST}/paraphrase-multilingual-mpnet-base-v2`, { ...xlmr, ...PARAPHRASE }),
  sentence(`${ST}/LaBSE`, {
    tokenizer: 'bert-cased',
    pooling: 'cls',
    normalize: true,
    dense: [{ outputs: 32, activation: 'tanh', bias: true }],
  }),
  sentence(`${ST}/distiluse-base-multilingual-cased-v2`, {
    base: 'distilbert',
    tokenizer: 'bert-cased',
    ...PARAPHRASE,
    dense: [{ outputs: 24, activation: 'tanh', bias: true }],
  }),
  sentence(`${ST}/sentence-t5-base`, T5),
  sentence(`${ST}/gtr-t5-base`, T5),
  sentence(`${ST}/gtr-t5-large`, T5),
  ...['small', 'base', 'large'].map((size) => sentence(`BAAI/bge-${size}-en-v1.5`, BGE)),
  {
    ...sentence('BAAI/bge-m3', { ...xlmr, pooling: 'cls', normalize: true }),
    task: 'm3',
  },
  sentence('BAAI/bge-multilingual-gemma2', {
    base: 'gemma2',
    tokenizer: 'gemma',
    pooling: 'last',
    normalize: true,
  }),
  sentence('BAAI/bge-en-icl', { ...MISTRAL, config: { architectures: ['MistralModel'] } }),
  sentence('BAAI/bge-code-v1', {
    ...QWEN2,
    config: { architectures: ['Qwen2Model'], tie_word_embeddings: false },
  }),
  ...['small', 'base', 'large'].map((size) => sentence(`intfloat/e5-${size}-v2`, { ...MEAN, ...E5 })),
  sentence('intfloat/multilingual-e5-small', {
    ...MEAN,
    ...E5,
    tokenizer: 'xlm-roberta',
    config: { tokenizer_class: 'XLMRobertaTokenizer' },
  }),
  ...['base', 'large', 'large-instruct'].map((size) =>
    sentence(`intfloat/multilingual-e5-${size}`, {
      ...xlmr,
      ...MEAN,
      ...(size === 'large-instruct' ? {} : E5),
    }),
  ),
  sentence('intfloat/e5-mistral-7b-instruct', { ...MISTRAL, prompts: { web_search_query: INSTRUCT } }),
  ...['small', 'base', 'large'].map((size) => sentence(`thenlper/gte-${size}`, MEAN)),
  sentence('Alibaba-NLP/gte-base-en-v1.5', {
    ...NEW,
    pooling: 'cls',
    config: { ...NEW_CODE, rope_theta: 500_000, rope_scaling: { factor: 2.0, type: 'ntk' } },
  }),
  sentence('Alibaba-NLP/gte-multilingual-base', {
    ...NEW,
    tokenizer: 'xlm-roberta',
    head: 'ForTokenClassification',
    labels: ['LABEL_0'],
    pooling: 'cls',
    normalize: true,
    config: {
      ...NEW_CODE,
      architectures: ['NewModel', 'NewForTokenClassification'],
      rope_scaling: { factor: 8.0, type: 'ntk' },
    },
  }),
  sentence('Alibaba-NLP/gte-modernbert-base', { ...MODERN, pooling: 'cls' }),
  sentence('Alibaba-NLP/gte-Qwen2-1.5B-instruct', {
    ...QWEN2,
    tokenizer: 'gte-qwen',
    own: true,
    prefix: 'model.',
    prompts: { query: INSTRUCT },
    config: {
      architectures: ['Qwen2ForCausalLM'],
      auto_map: {
        AutoModel: 'modeling_qwen.Qwen2Model',
        AutoModelForCausalLM: 'modeling_qwen.Qwen2ForCausalLM',
      },
      is_causal: false,
    },
  }),
  ...['0.6B', '4B', '8B'].map((size) => sentence(`Qwen/Qwen3-Embedding-${size}`, QWEN3)),
  sentence('google/embeddinggemma-300m', {
    base: 'gemma3',
    tokenizer: 'gemma',
    ...MEAN,
    dense: [{ outputs: 48 }, { inputs: 48, outputs: 32 }],
    prompts: {
      query: 'task: search result | query: ',
      document: 'title: none | text: ',
      Clustering: 'task: clustering | query: ',
    },
  }),
  sentence('nomic-ai/nomic-embed-text-v1', { ...NOMIC, ...MEAN }),
  sentence('nomic-ai/nomic-embed-text-v1.5', { ...NOMIC, pooling: 'mean' }),
  sentence('nomic-ai/modernbert-embed-base', {
    ...MODERN,
    ...MEAN,
    prompts: { query: 'search_query: ', document: 'search_document: ' },
  }),
  sentence('nomic-ai/nomic-embed-text-v2-moe', {
    base: 'nomic-moe',
    tokenizer: 'xlm-roberta',
    own: true,
    ...MEAN,
    prompts: { query: 'search_query: ', passage: 'search_document: ' },
  }),
  sentence('mixedbread-ai/mxbai-embed-large-v1', { pooling: 'cls', prompts: { query: SEARCH, passage: '' } }),
  sentence('mixedbread-ai/mxbai-embed-xsmall-v1', { ...MEAN, prompts: { query: '', passage: '' } }),
  ...['xs', 's', 'm', 'l', 'm-v1.5'].map((size) => sentence(`Snowflake/snowflake-arctic-embed-${size}`, BGE)),
  sentence('Snowflake/snowflake-arctic-embed-m-long', { ...NOMIC, ...BGE }),
  sentence('Snowflake/snowflake-arctic-embed-m-v2.0', {
    base: 'gte',
    tokenizer: 'xlm-roberta',
    own: true,
    pooling: 'cls',
    normalize: true,
    prompts: { query: 'query: ' },
    config: { architectures: ['GteModel'], auto_map: { AutoModel: 'modeling_hf_alibaba_nlp_gte.GteModel' } },
  }),
  sentence('Snowflake/snowflake-arctic-embed-l-v2.0', {
    ...xlmr,
    pooling: 'cls',
    normalize: true,
    prompts: { query: 'query: ' },
  }),
  sentence('jinaai/jina-embeddings-v2-small-en', JINA),
  sentence('jinaai/jina-embeddings-v2-base-en', JINA),
  sentence('jinaai/jina-embeddings-v2-base-de', {
    ...JINA,
    base: 'jina-code',
    tokenizer: 'jina-code',
    norms: true,
    config: { auto_map: JINA_CODE },
  }),
  sentence('jinaai/jina-embeddings-v2-base-code', {
    ...JINA,
    base: 'jina-code',
    tokenizer: 'jina-code',
    norms: true,
    config: { auto_map: JINA_CODE },
  }),
  sentence('jinaai/jina-embeddings-v3', {
    base: 'flash',
    tokenizer: 'xlm-roberta',
    own: true,
    transformer: 'custom_st.Transformer',
    ...MEAN,
    config: {
      architectures: ['XLMRobertaModel'],
      lora_adaptations: [
        'retrieval.query',
        'retrieval.passage',
        'separation',
        'classification',
        'text-matching',
      ],
      lora_rank: 4,
      lora_alpha: 1,
      lora_main_params_trainable: false,
      task_instructions: {
        'retrieval.query': 'Represent the query for retrieving evidence documents: ',
        'retrieval.passage': 'Represent the document for retrieval: ',
        separation: '',
        classification: '',
        'text-matching': '',
      },
    },
  }),
  sentence('ibm-granite/granite-embedding-30m-english', { ...ROBERTA, ...GRANITE }),
  sentence('ibm-granite/granite-embedding-125m-english', { ...ROBERTA, ...GRANITE }),
  sentence('ibm-granite/granite-embedding-107m-multilingual', { ...xlmr, ...GRANITE }),
  sentence('ibm-granite/granite-embedding-278m-multilingual', { ...xlmr, ...GRANITE }),
  sentence('ibm-granite/granite-embedding-english-r2', { ...MODERN, ...GRANITE }),
  sentence('ibm-granite/granite-embedding-small-english-r2', { ...MODERN, ...GRANITE }),
];

/** The names that people type after `hf:`, with the shape of each model's folder. */
export const NAMED_MODELS: readonly NamedModel[] = [...VECTORS, ...SPECIAL, ...CLASSIFIERS, ...IMAGES];
