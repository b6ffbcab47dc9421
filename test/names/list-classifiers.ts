import { bare, type NamedModel, xlmr } from './shape.ts';

const ROBERTA = { base: 'roberta', tokenizer: 'roberta' };
const DEBERTA = { base: 'deberta-v2', tokenizer: 'deberta-v3' };
const DISTILBERT = { base: 'distilbert', tokenizer: 'distilbert' };
const MODERN = { base: 'modernbert', tokenizer: 'modernbert' };
const MANY = { problem_type: 'multi_label_classification' };
const people = (prefixes: readonly string[], kinds: readonly string[]): string[] => [
  'O',
  ...kinds.flatMap((kind) => prefixes.map((prefix) => `${prefix}-${kind}`)),
];
const esm = (name: string): NamedModel =>
  bare(`facebook/esm2_${name}_UR50D`, 'masked', { base: 'esm', tokenizer: 'esm' });

/** Classifiers, models for questions, and masked language models. */
export const CLASSIFIERS: readonly NamedModel[] = [
  bare('cross-encoder/nli-deberta-v3-base', 'zero-shot', {
    ...DEBERTA,
    labels: ['contradiction', 'entailment', 'neutral'],
  }),
  bare('facebook/bart-large-mnli', 'zero-shot', {
    base: 'bart',
    tokenizer: 'roberta',
    labels: ['contradiction', 'neutral', 'entailment'],
  }),
  ...['base', 'large'].map((size) =>
    bare(`MoritzLaurer/deberta-v3-${size}-zeroshot-v2.0`, 'zero-shot', {
      ...DEBERTA,
      labels: ['entailment', 'not_entailment'],
    }),
  ),
  bare('MoritzLaurer/bge-m3-zeroshot-v2.0', 'zero-shot', {
    ...xlmr,
    labels: ['entailment', 'not_entailment'],
  }),
  bare('distilbert/distilbert-base-uncased-finetuned-sst-2-english', 'texts', {
    ...DISTILBERT,
    labels: ['NEGATIVE', 'POSITIVE'],
  }),
  bare('cardiffnlp/twitter-roberta-base-sentiment-latest', 'texts', {
    ...ROBERTA,
    weights: 'bin',
    slow: true,
    tokenizerConfig: null,
    labels: ['negative', 'neutral', 'positive'],
  }),
  bare('ProsusAI/finbert', 'texts', {
    weights: 'bin',
    slow: true,
    labels: ['positive', 'negative', 'neutral'],
  }),
  bare('SamLowe/roberta-base-go_emotions', 'texts', {
    ...ROBERTA,
    labels: ['admiration', 'amusement', 'anger', 'neutral'],
    config: MANY,
  }),
  bare('unitary/toxic-bert', 'texts', {
    slow: true,
    labels: ['toxic', 'severe_toxic', 'obscene', 'threat', 'insult', 'identity_hate'],
    config: MANY,
  }),
  bare('papluca/xlm-roberta-base-language-detection', 'texts', {
    ...xlmr,
    labels: ['ja', 'nl', 'ar', 'pl', 'de'],
  }),
  bare('nlptown/bert-base-multilingual-uncased-sentiment', 'texts', {
    slow: true,
    labels: ['1 star', '2 stars', '3 stars', '4 stars', '5 stars'],
    config: {
      directionality: 'bidi',
      finetuning_task: 'sentiment-analysis',
      pooler_fc_size: 768,
      output_past: true,
    },
  }),
  bare('protectai/deberta-v3-base-prompt-injection-v2', 'texts', {
    ...DEBERTA,
    labels: ['SAFE', 'INJECTION'],
  }),
  ...['22M', '86M'].map((size) =>
    bare(`meta-llama/Llama-Prompt-Guard-2-${size}`, 'texts', { ...DEBERTA, labels: ['LABEL_0', 'LABEL_1'] }),
  ),
  bare('HuggingFaceFW/fineweb-edu-classifier', 'texts', {
    labels: ['LABEL_0'],
    config: { problem_type: 'regression' },
  }),
  bare('dslim/bert-base-NER', 'tokens', {
    tokenizer: 'bert-cased',
    slow: true,
    tokenizerConfig: { do_lower_case: false, max_len: 128, init_inputs: [] },
    labels: people(['B', 'I'], ['MISC', 'PER', 'ORG', 'LOC']),
  }),
  bare('dbmdz/bert-large-cased-finetuned-conll03-english', 'tokens', {
    tokenizer: 'bert-cased',
    labels: people(['B', 'I'], ['LOC', 'PER', 'ORG', 'MISC']),
  }),
  bare('Babelscape/wikineural-multilingual-ner', 'tokens', {
    tokenizer: 'bert-cased',
    labels: people(['B', 'I'], ['PER', 'ORG', 'LOC', 'MISC']),
  }),
  bare('Davlan/xlm-roberta-base-ner-hrl', 'tokens', {
    ...xlmr,
    labels: people(['B', 'I'], ['PER', 'ORG', 'LOC', 'DATE']),
  }),
  bare('iiiorg/piiranha-v1-detect-personal-information', 'tokens', {
    ...DEBERTA,
    labels: ['I-EMAIL', 'I-GIVENNAME', 'I-SURNAME', 'O'],
  }),
  bare('deepset/roberta-base-squad2', 'answers', {
    ...ROBERTA,
    slow: true,
    tokenizerConfig: { do_lower_case: false, model_max_length: 128, full_tokenizer_file: null },
  }),
  bare('distilbert/distilbert-base-cased-distilled-squad', 'answers', {
    ...DISTILBERT,
    tokenizer: 'bert-cased',
  }),
  bare('google-bert/bert-base-uncased', 'masked', { gamma: true }),
  bare('FacebookAI/roberta-base', 'masked', { ...ROBERTA }),
  bare('FacebookAI/xlm-roberta-base', 'masked', { ...xlmr }),
  ...['base', 'large'].map((size) => bare(`answerdotai/ModernBERT-${size}`, 'masked', { ...MODERN })),
  bare('microsoft/deberta-v3-base', 'vectors', {
    ...DEBERTA,
    weights: 'bin',
    slow: true,
    prefix: 'deberta.',
    without: ['architectures'],
    tokenizerConfig: { do_lower_case: false, vocab_type: 'spm' },
  }),
  ...['t6_8M', 't12_35M', 't30_150M', 't33_650M'].map((name) => esm(name)),
];
