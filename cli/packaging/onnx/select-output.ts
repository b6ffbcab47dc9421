import { configError } from '#contract/errors.ts';
import { MODEL_TYPES, type ModelType, returnsVectors } from '#contract/model-types.ts';
import type { GraphProto, ValueInfoProto } from '#gen/onnx/v1/onnx_pb.ts';
import { isFloat } from '#core/onnx/element-types.ts';

/** The output to compute results from, and the axes it must have. */
export interface SelectedOutput {
  readonly name: string;
  readonly shape: readonly string[];
}

/**
 * How a model type chooses a graph output if it does not use the name and shape in its row of
 * `MODEL_TYPES`.
 */
export interface OutputRules {
  /** Chooses an output that the config does not name; undefined for the default choice. */
  readonly chooseOutput?: (graph: OutputSource, request: OutputRequest) => SelectedOutput | undefined;
  /** Whether an output with one vector per text can be used instead of one with a vector per token. */
  readonly canBePooled?: boolean;
}

export interface OutputRequest {
  readonly modelType: ModelType;
  readonly rules: OutputRules;
  /** The field `output` in the config file. */
  readonly output: string | undefined;
  /** The model file, for messages. */
  readonly file: string;
}

/** The parts of a graph on which the choice of an output depends. */
export type OutputSource = Pick<GraphProto, 'output' | 'node'>;

/**
 * Chooses a graph output: the one that the config names, otherwise one with a name that exporters
 * use, otherwise the only one with the right shape. If several outputs have that shape, the user
 * must choose.
 */
export function selectOutput(graph: OutputSource, request: OutputRequest): SelectedOutput {
  if (request.output !== undefined) return namedByUser(graph, request, request.output);
  return request.rules.chooseOutput?.(graph, request) ?? usualOutput(graph, request);
}

function usualOutput(graph: OutputSource, request: OutputRequest): SelectedOutput {
  const { output: name, shape } = MODEL_TYPES[request.modelType];
  const names = returnsVectors(request.modelType) ? TOKEN_VECTORS : [name];
  const usual = findNamed(graph.output, names);
  if (usual !== undefined) return { name: usual, shape };
  const candidates = unnamedOutputs(graph.output, shape.length);
  const [only] = candidates;
  if (only !== undefined && candidates.length === 1) return { name: only, shape };
  throw outputError(
    `Model must return ${name} for model_type ${request.modelType}`,
    graph,
    request,
    candidates,
    'Choose the right model_type, or export the model for this task.',
  );
}

function namedByUser(
  { output: outputs }: OutputSource,
  request: OutputRequest,
  name: string,
): SelectedOutput {
  const output = outputs.find((candidate) => candidate.name === name);
  if (!output)
    throw configError(
      `\`output\` is ${JSON.stringify(name)}, but the outputs of ${request.file} are ${namesOf(outputs)}. Choose one of these.`,
    );
  const { shape } = MODEL_TYPES[request.modelType];
  const isPooled = request.rules.canBePooled === true && rankOf(output) === PER_TEXT.length;
  return { name, shape: isPooled ? PER_TEXT : shape };
}

/** The axes of an output with one vector per text. */
export const PER_TEXT = ['batch_size', 'hidden_size'];
/** Names that exporters give to token vectors, and to text vectors. */
export const TOKEN_VECTORS = ['last_hidden_state', 'token_embeddings'];
export const TEXT_VECTORS = ['sentence_embedding'];
/** Names with a known meaning. An output with one of these names is never used for another purpose. */
const KNOWN_NAMES = new Set([...TOKEN_VECTORS, ...TEXT_VECTORS, 'logits', 'pooler_output']);

/** Outputs with this number of axes whose names have no known meaning. */
export const unnamedOutputs = (outputs: readonly ValueInfoProto[], rank: number): string[] =>
  outputs
    .filter((output) => rankOf(output) === rank && isFloatOutput(output) && !KNOWN_NAMES.has(output.name))
    .map(({ name }) => name);

export const rankOf = ({ type }: ValueInfoProto): number | undefined => type?.tensorType?.shape?.dim.length;
export const isFloatOutput = ({ type }: ValueInfoProto): boolean => isFloat(type?.tensorType?.elemType ?? 0);

/**
 * The error if no output or several outputs fit; `choices` are the outputs that the config's
 * `output` can name.
 */
export function outputError(
  whatIsNeeded: string,
  { output }: OutputSource,
  { file }: OutputRequest,
  choices: readonly string[],
  otherWayOut: string,
): Error {
  const wayOutOfIt =
    choices.length > 1
      ? `Set \`output\` in the config to one of ${choices.map((name) => `\`${name}\``).join(', ')}.`
      : otherWayOut;
  return configError(`${whatIsNeeded}; ${file} returns ${namesOf(output)}. ${wayOutOfIt}`);
}

/** Returns the first of these names that an output has. */
export const findNamed = (outputs: readonly ValueInfoProto[], names: readonly string[]): string | undefined =>
  names.find((name) => outputs.some((output) => output.name === name));

const namesOf = (outputs: readonly ValueInfoProto[]): string =>
  outputs.map(({ name }) => `\`${name}\``).join(', ');
