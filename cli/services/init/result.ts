import { hasLabels, type ModelType } from '#contract/model-types.ts';
import { alignColumns, argumentWord, shortList, shownPath } from '../text.ts';
import { formatBytes } from '#core/model/progress.ts';
import { GUESSED_TYPES } from '../../packaging/model/build-types.ts';
import type { GraphVariant } from '../../packaging/model/graph-variants.ts';
import type { FoundFile } from './inspect-model-folder.ts';

/** The file that was written, and the detected facts about the model. */
export interface InitResult {
  readonly file: string;
  readonly folder: string;
  readonly name: string;
  readonly modelType: ModelType;
  /** Whether the model type was detected from config.json rather than set by the user. */
  readonly guessed: boolean;
  /** Path of the model folder as written to the config file. */
  readonly path: string;
  readonly architecture: string | undefined;
  readonly labels: readonly string[];
  /** License in the model card, as written to the config file. */
  readonly license: string | undefined;
  readonly files: readonly FoundFile[];
  /** The folder's graphs, and the graph that builds use with this config. */
  readonly variants: readonly GraphVariant[];
  readonly graph: GraphVariant | undefined;
}

export function initSummary(result: InitResult): string {
  const { modelType, guessed, architecture, labels, license, files } = result;
  const origin = architecture === undefined ? '' : ` (${architecture})`;
  const shown = shownPath(result.file);
  return alignColumns([
    ['Wrote', shown],
    ['Model', `${result.name}, in ${shownPath(result.folder)}`],
    ['Type', guessed ? `${modelType}${origin}; ${wayOut(modelType)}` : modelType],
    // Only lists the labels of classifiers, because every base model has two placeholder labels.
    ...(labels.length > 0 && hasLabels(modelType) ? [['Labels', shortList(labels)]] : []),
    ...(license === undefined ? [] : [['License', license]]),
    ...graphRows(result),
    ['Found', list(files, true)],
    ...(files.some(({ present }) => !present) ? [['Missing', list(files, false)]] : []),
    ['Editor', 'encoderfile schema > encoderfile.schema.json, next to the config, for completion'],
    ['Next', `encoderfile build -f ${argumentWord(shown)}`],
  ]);
}

function wayOut(modelType: ModelType): string {
  const { alternative: other } = GUESSED_TYPES[modelType];
  return other
    ? `${other.phrase}; change \`model_type\` to ${other.type} for ${other.returns}`
    : 'change `model_type` if it is wrong';
}

/** Adds this row only if there are several graphs to choose from. */
function graphRows({ variants, graph }: InitResult): string[][] {
  if (variants.length < 2 || !graph) return [];
  const reason =
    graph.name === 'model'
      ? 'full precision, the default if `variant` is not set'
      : 'the least precision loss, because there is no model.onnx';
  return [
    ...variants.map(({ name, path, bytes }, at) => [
      at === 0 ? 'Variants' : '',
      `${name} (${path}, ${formatBytes(bytes)})`,
    ]),
    ['Chosen', `${graph.name}: ${reason}`],
  ];
}

function list(files: readonly FoundFile[], wanted: boolean): string {
  const names = files
    .filter(({ present }) => present === wanted)
    .map(({ name, required }) => (wanted || required ? name : `${name} (optional)`));
  return names.length > 0 ? names.join(', ') : 'none of the files';
}
