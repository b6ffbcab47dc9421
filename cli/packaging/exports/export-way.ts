import { lookup } from '#core/values/lookup.ts';
import { singleQuoted } from '#core/text/shell-word.ts';
import { trimEndOf } from '#core/text/trim-text.ts';
import type { ExportFacts } from './model-kind.ts';

/** A model to export, as the user names it. */
export interface ExportSource {
  /** A folder, or the name of a repository on the Hugging Face Hub. */
  readonly source: string;
  readonly isOnHub: boolean;
}

/** Why an export of this model cannot be built; undefined if it can. */
export const noWay = ({ kind }: Pick<ExportFacts, 'kind'>): string | undefined => NO_WAYS[kind];

const NO_WAYS: Readonly<Record<ExportFacts['kind'], string | undefined>> = {
  encoder: undefined,
  table: undefined,
  images: 'it is an image model of a type that cannot be built from its weights, and it has no ONNX graph',
  audio: 'it is an audio model, and only text models can be built',
  decoder: 'it has a decoder that generates text, and only encoders can be built',
};

/**
 * The commands that export a model to ONNX and build it with its own tokenizer and settings: the
 * graph goes to the model's `onnx/` folder. optimum cannot read models saved by transformers 5.
 */
export function exportWay(facts: ExportFacts, { source, isOnHub }: ExportSource): string {
  const folder = isOnHub ? `./${source.split('/').at(-1) ?? source}` : source;
  const from = quoted(folder);
  const graph = quoted(`${trimEndOf(folder, '/')}/onnx`);
  const task =
    facts.isOfTransformers5 || facts.hasOwnCode
      ? undefined
      : optimumTask(facts.modelType, facts.poolsTokens ? [] : facts.architectures);
  const trust = facts.hasOwnCode ? ' --trust-remote-code' : '';
  const library = facts.isSentenceModel ? ' --library transformers' : '';
  const commands =
    task === undefined
      ? [
          'pip install torch transformers onnx',
          'encoderfile export-script > export.py',
          `python export.py ${from} ${graph}${trust}`,
        ]
      : [
          'pip install "optimum-onnx[onnxruntime]"',
          `optimum-cli export onnx --model ${from} --task ${task}${library} ${graph}`,
        ];
  const download = isOnHub ? [`hf download ${source} --local-dir ${from}`] : [];
  const all = [commands[0] ?? '', ...download, ...commands.slice(1), `encoderfile build ${from}`];
  const how = facts.hasOwnCode ? ", which runs the model's Python code" : '';
  return `Export it${how}: ${all.map((command) => `\`${command}\``).join(', then ')}.`;
}

/** Quotes a path as a shell word. */
const quoted = (path: string): string => (/^[\w./:@\\-]+$/.test(path) ? path : singleQuoted(path));

/** The tasks of optimum that produce a graph for texts. */
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
 * Tasks of optimum-onnx 0.1.0 by `model_type`, for text models whose graphs a build accepts. Not
 * included are graphs with inputs that texts do not provide (`longformer`, `layoutlm`), and models
 * with a decoder (`t5`, `bart`). `npm run test:exports` exports one model of each kind.
 */
const OPTIMUM_TASKS = lookup<readonly OptimumTask[]>({
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
});

const HEADS: readonly (readonly [RegExp, OptimumTask])[] = [
  [/For(?:Sequence|Text)Classification$/, 'text-classification'],
  [/ForTokenClassification$/, 'token-classification'],
  [/ForQuestionAnswering(?:Simple)?$/, 'question-answering'],
  [/ForMaskedLM$|WithLMHeadModel$/, 'fill-mask'],
];

/** The task for a model with the architectures in `facts`; undefined if optimum cannot export the model. */
function optimumTask(
  modelType: string | undefined,
  architectures: readonly string[],
): OptimumTask | undefined {
  if (modelType === undefined) return undefined;
  const [, task = 'feature-extraction' as const] =
    HEADS.find(([head]) => architectures.some((name) => head.test(name))) ?? [];
  return OPTIMUM_TASKS[modelType]?.includes(task) ? task : undefined;
}
