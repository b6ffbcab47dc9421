/** The tasks of optimum that result in a graph of texts. */
type OptimumTask =
  | 'feature-extraction'
  | 'fill-mask'
  | 'question-answering'
  | 'text-classification'
  | 'token-classification';

const ALL: readonly OptimumTask[] = [
  'feature-extraction',
  'fill-mask',
  'question-answering',
  'text-classification',
  'token-classification',
];
const without = (...tasks: readonly OptimumTask[]): readonly OptimumTask[] =>
  ALL.filter((task) => !tasks.includes(task));
const VECTORS: readonly OptimumTask[] = ['feature-extraction'];
const VECTORS_AND_TEXTS: readonly OptimumTask[] = ['feature-extraction', 'text-classification'];

/**
 * Tasks of optimum-onnx 0.1.0 by `model_type`, for models of texts whose graphs a build accepts: `npm run test:exports` exports a model of
 * each kind. Missing: graphs with inputs that texts do not provide (`longformer`, `layoutlm`), and models with a decoder (`t5`, `bart`).
 */
const OPTIMUM_TASKS: Readonly<Record<string, readonly OptimumTask[]>> = {
  albert: ALL,
  bert: ALL,
  big_bird: ALL,
  camembert: ALL,
  convbert: ALL,
  'data2vec-text': ALL,
  deberta: ALL,
  'deberta-v2': ALL,
  distilbert: ALL,
  electra: ALL,
  esm: without('question-answering'),
  flaubert: ALL,
  gemma: VECTORS_AND_TEXTS,
  gemma2: VECTORS_AND_TEXTS,
  gemma3_text: VECTORS,
  gpt2: without('fill-mask', 'question-answering'),
  ibert: ALL,
  llama: VECTORS_AND_TEXTS,
  'megatron-bert': ALL,
  mistral: VECTORS_AND_TEXTS,
  mobilebert: ALL,
  modernbert: without('question-answering'),
  mpnet: ALL,
  phi3: VECTORS_AND_TEXTS,
  qwen2: without('fill-mask', 'question-answering'),
  qwen3: VECTORS_AND_TEXTS,
  rembert: ALL,
  roberta: ALL,
  roformer: ALL,
  splinter: ['feature-extraction', 'question-answering'],
  squeezebert: ALL,
  xlm: ALL,
  'xlm-roberta': ALL,
};

const HEADS: readonly (readonly [RegExp, OptimumTask])[] = [
  [/For(?:Sequence|Text)Classification$/, 'text-classification'],
  [/ForTokenClassification$/, 'token-classification'],
  [/ForQuestionAnswering(?:Simple)?$/, 'question-answering'],
  [/ForMaskedLM$|WithLMHeadModel$/, 'fill-mask'],
];

/** The task of a model with these architectures; undefined if optimum cannot export it. */
export function optimumTask(
  modelType: string | undefined,
  architectures: readonly string[],
): OptimumTask | undefined {
  if (modelType === undefined || !Object.hasOwn(OPTIMUM_TASKS, modelType)) return undefined;
  const [, task = 'feature-extraction' as const] =
    HEADS.find(([head]) => architectures.some((name) => head.test(name))) ?? [];
  return OPTIMUM_TASKS[modelType]?.includes(task) ? task : undefined;
}
