import type { ModelType } from '#contract/model-types.ts';
import { areInferenceLabels } from '#core/model/entailment.ts';
import { isMapping } from '#core/yaml/describe.ts';

export interface ModelGuess {
  readonly name: string;
  readonly modelType: ModelType;
  /** The evidence, for messages; undefined if nothing states the type. */
  readonly because: string | undefined;
  /** The architecture of a model that generates text, if nothing states that it is used for something else. */
  readonly generator?: string | undefined;
}

/** What the files of a model state. */
export interface GuessSource {
  readonly config: unknown;
  /** Name of the repository or folder. */
  readonly name: string;
  /** modules.json, which sentence-transformers writes. */
  readonly modules?: unknown;
  /** The file that states that the model is of ColBERT, if there is one. */
  readonly colbertFile?: string | undefined;
  /** Whether the model has gliner_config.json. */
  readonly isGliner?: boolean;
  /** Whether the model has layers for vectors of tokens next to those of texts. */
  readonly hasHeads?: boolean;
  /** Whether the graph returns a weight and a vector for each token next to those of texts. */
  readonly hasTokenOutputs?: boolean;
  /** Name of the published family of embedding models that the model belongs to. */
  readonly family?: string | undefined;
  /** Outputs of the graph. */
  readonly outputs?: readonly { readonly name: string; readonly rank: number | undefined }[];
}

/** Guesses the name and type of a model from its files. The build checks the guess against the ONNX graph. */
export function guessModel(source: GuessSource): ModelGuess {
  const fields = isMapping(source.config) ? source.config : {};
  return { name: guessName(fields, source.name), ...guessType(fields, source) };
}

const hasModule = (modules: unknown, name: string): boolean =>
  Array.isArray(modules) &&
  modules.some((module) => isMapping(module) && String(module['type']).split('.').at(-1) === name);

type Fields = Readonly<Record<string, unknown>>;

function guessType(
  fields: Fields,
  {
    modules,
    colbertFile,
    isGliner = false,
    hasHeads = false,
    hasTokenOutputs = false,
    family,
    outputs = [],
  }: GuessSource,
): Omit<ModelGuess, 'name'> {
  const guess = (modelType: ModelType, because?: string) => ({ modelType, because });
  if (isGliner) return guess('zero_shot_ner', 'it has gliner_config.json');
  if (hasModule(modules, 'SpladePooling'))
    return guess('sparse_embedding', 'modules.json has a SpladePooling module');
  if (hasModule(modules, 'Pooling')) return guess('sentence_embedding', 'modules.json has a Pooling module');
  if (hasHeads) return guess('sentence_embedding', 'it has sparse_linear.pt and colbert_linear.pt');
  const architectures = texts(fields['architectures']);
  if (colbertFile !== undefined) return guess('multi_vector', `${colbertFile} is of a ColBERT model`);
  if (architectures.includes(STANFORD_COLBERT))
    return guess('multi_vector', `config.json names ${STANFORD_COLBERT}`);
  for (const [modelType, suffix] of CLASSIFIERS) {
    const name = architectures.find((architecture) => architecture.endsWith(suffix));
    if (name === undefined) continue;
    const labels = isMapping(fields['id2label']) ? texts(Object.values(fields['id2label'])) : [];
    if (modelType === 'sequence_classification' && areInferenceLabels(labels))
      return guess(
        'zero_shot_classification',
        `config.json names ${name} with the labels ${labels.join(', ')}`,
      );
    return guess(modelType, `config.json names ${name}`);
  }
  if (outputs.some(({ name }) => name === 'start_logits'))
    return guess('question_answering', 'the graph returns start_logits');
  if (hasTokenOutputs)
    return guess('sentence_embedding', 'the graph returns dense, sparse and multi-vector outputs');
  if (outputs.some(({ name }) => name === 'sentence_embedding'))
    return guess('sentence_embedding', 'the graph returns sentence_embedding');
  if (family !== undefined) return guess('sentence_embedding', `the model belongs to the ${family} family`);
  const masked = architectures.find((architecture) => architecture.endsWith('ForMaskedLM'));
  // Many exports of such a model are without the head.
  if (masked !== undefined && (outputs.length === 0 || outputs.some(({ name }) => name === 'logits')))
    return guess('fill_mask', `config.json names ${masked}`);
  // Base models have labels too, so labels only count if no architecture is named.
  const labels =
    architectures.length > 0 || !isMapping(fields['id2label'])
      ? []
      : texts(Object.values(fields['id2label']));
  const rank = outputs.find(({ name }) => name === 'logits')?.rank;
  if (labels.some((label) => /^[BI]-/.test(label)))
    return guess('token_classification', 'config.json has labels of tokens');
  if (labels.length > 0) return guess('sequence_classification', 'config.json has labels');
  if (rank === 2 && architectures.length === 0)
    return guess('sequence_classification', 'the graph returns logits for each text');
  const [architecture] = architectures;
  if (architecture !== undefined) {
    const generator = architectures.find((name) => GENERATOR.test(name));
    return { ...guess('embedding', `config.json names ${architecture}`), generator };
  }
  const vectors = outputs.find(({ name }) => name === 'last_hidden_state' || name === 'token_embeddings');
  return guess('embedding', vectors && `the graph returns ${vectors.name}`);
}

/** XLM and FlauBERT name the head of a masked language model `WithLMHeadModel`. */
const GENERATOR = /For(?:CausalLM|ConditionalGeneration|Seq2SeqLM)$|(?<!With)LMHeadModel$/;

const STANFORD_COLBERT = 'HF_ColBERT';

const CLASSIFIERS: readonly (readonly [ModelType, string])[] = [
  ['token_classification', 'ForTokenClassification'],
  ['sequence_classification', 'ForSequenceClassification'],
  ['question_answering', 'ForQuestionAnswering'],
];

/** `_name_or_path` of config.json is not used: it often names the model that this one was trained from. */
function guessName(fields: Fields, name: string): string {
  const candidates = [name, fields['model_type']];
  return candidates.find((one): one is string => typeof one === 'string' && isName(one)) ?? 'model';
}

const isName = (text: string): boolean => /^[^./\\\p{Cc}][^/\\\p{Cc}]{0,254}$/u.test(text);
const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
