import { configError, messageOf, AppError } from '#contract/errors.ts';
import { trimEndOf } from '#core/text/trim-text.ts';
import { greatest } from '#core/numbers/extremes.ts';
import { shortPattern } from '#core/text/short-pattern.ts';

/**
 * The error for a graph that cannot be loaded or run. If the build has written the graph from
 * safetensors, the only possible reason is that sizes do not match.
 */
export function graphError(
  { file, graph }: { readonly file: string; readonly graph: string },
  problem: string,
  error: unknown,
): Error {
  const reason = firstLine(error);
  if (graph === file) return configError(`${problem}: ${explainLoad(reason)}`, error);
  const sizes = trimEndOf(withoutPlaces(reason), '. \t\r\n');
  return configError(
    `${file} does not match config.json: ${sizes}. Both must come from the same model; copy or download them again.`,
    error,
  );
}

/** The first line of an error message, without the stack trace that ONNX Runtime adds to some messages. */
export const firstLine = (error: unknown): string => messageOf(error).split('\n')[0] ?? '';

/** The error for a graph whose run did not finish in time. The ONNX Runtime process has been terminated. */
export function stuckError(
  model: string,
  ids: readonly (readonly number[])[],
  { message }: AppError,
): AppError {
  const shape = `[${ids.length}, ${greatest(ids.map((row) => row.length))}]`;
  return new AppError(
    'ConfigError',
    `${model} did not finish a run with inputs of shape ${shape}: ${message}. ` +
      'Export it again without infinite loops; if only the longest texts take this long, lower `max_length`.',
    { reason: STUCK },
  );
}

export const isStuck = (error: unknown): boolean => error instanceof AppError && error.reason === STUCK;

const STUCK = 'graph_stuck';

/**
 * Explains ONNX Runtime's message about a model that it cannot load. Source locations are removed,
 * and a solution is added.
 */
function explainLoad(message: string): string {
  const plain = withoutPlaces(message);
  const found = WAYS_OUT.find(([pattern]) => pattern.test(message));
  return found ? `${trimEndOf(plain, '. \t\r\n')}. ${found[1]}` : plain;
}

/** ONNX Runtime's message without the path of the model and source locations. */
const withoutPlaces = (message: string): string =>
  SOURCE_PLACE.replaceAll(message.replace(/^Load model from .*? failed:\s*/, ''), '').replaceAll(
    /\p{Cc}/gu,
    '\uFFFD',
  );

/**
 * Maximum length of messages from which source locations are removed. Messages contain paths, names
 * and shapes.
 */
const MAX_MESSAGE_LENGTH = 10_000;

/** File, line and function in ONNX Runtime that raised an error. */
const SOURCE_PLACE = shortPattern(
  /\/\S*onnxruntime_src\/\S+:\d+ (?:.*?\)(?: const)? )?/g,
  MAX_MESSAGE_LENGTH,
);

const WAYS_OUT: readonly (readonly [pattern: RegExp, wayOut: string])[] = [
  [
    /is not a registered function\/op|No Op registered|No opset import/,
    'The model uses operators that ONNX Runtime does not support. Export it with standard operators only.',
  ],
  [
    /unsupported model IR version|max supported IR version/i,
    'The file is newer than ONNX Runtime. Save it with a lower `ir_version`.',
  ],
  [
    /opset .{0,100}is under development|only \*guarantees\* support for models stamped with official released/i,
    'The model is newer than ONNX Runtime. Export it with a lower opset.',
  ],
  [
    /Could not find an implementation for/,
    "On CPUs, ONNX Runtime does not support this operator for the model's element type, for example bfloat16. Export it as float32 or float16.",
  ],
  [
    /given file_length|out of bounds or can not be read in full/,
    'The weights file is incomplete. Copy it again.',
  ],
  [
    /External data path|external.{0,100}data.{0,100}(?:not exist|cannot be|fail|escapes)|GetExtDataFromTensorProto|open file .{0,1000} failed/i,
    'Put the weights files into the model folder.',
  ],
  [
    /Protobuf parsing failed|invalid model|type error|inference ?(?:error|failed)|\.cc:\d+/i,
    'The file is damaged, or its export was faulty. Copy or export it again.',
  ],
];
