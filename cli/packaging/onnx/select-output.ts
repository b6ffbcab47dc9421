import { configError } from '#contract/errors.ts';
import { MODEL_TYPES, type ModelType, returnsVectors } from '#contract/model-types.ts';
import type { GraphProto, ValueInfoProto } from '#gen/onnx/v1/onnx_pb.ts';
import { MASKED_OUTPUT } from './mask-positions.ts';
import { isFloat } from './element-types.ts';
import { exportedOutputs } from './token-outputs.ts';

/** The output to compute results from, and the axes it must have. */
export interface SelectedOutput {
  readonly name: string;
  readonly shape: readonly string[];
}

/**
 * The kinds of vectors that a sentence_embedding model can return, in order of preference. The runtime pools vectors of tokens.
 */
export type VectorsOf = readonly ('text' | 'token')[];

export interface OutputRequest {
  readonly modelType: ModelType;
  /** Preferences for models of type sentence_embedding. */
  readonly vectorsOf: VectorsOf;
  /** The `output` of the config file. */
  readonly output: string | undefined;
  /** The model file, for messages. */
  readonly file: string;
}

/** The parts of a graph that determine the choice. */
export type OutputSource = Pick<GraphProto, 'output' | 'node'>;

/**
 * Chooses an output of a graph: the one that the config names, otherwise by the names that exporters use, otherwise by shape if
 * only one output fits. If several fit, the user must choose.
 */
export function selectOutput(graph: OutputSource, request: OutputRequest): SelectedOutput {
  if (request.output !== undefined) return namedByUser(graph, request, request.output);
  if (request.modelType === 'sentence_embedding') return sentenceOutput(graph, request);
  if (request.modelType === 'sparse_embedding') return sparseOutput(graph, request);
  // The build has written this graph.
  if (request.modelType === 'fill_mask' && named(graph.output, [MASKED_OUTPUT.name]) !== undefined)
    return MASKED_OUTPUT;
  const { output: name, shape } = MODEL_TYPES[request.modelType];
  const names = returnsVectors(request.modelType) ? TOKEN_NAMES : [name];
  const usual = named(graph.output, names);
  if (usual !== undefined) return { name: usual, shape };
  const candidates = unnamed(graph.output, shape.length);
  const [only] = candidates;
  if (only !== undefined && candidates.length === 1) return { name: only, shape };
  throw refusal(
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
  const isVectorOfText = VECTORS_OF_TEXTS.has(request.modelType) && rankOf(output) === PER_TEXT.length;
  return { name, shape: isVectorOfText ? PER_TEXT : shape };
}

/** Model types whose graphs can return one vector per text, or vectors of tokens. */
const VECTORS_OF_TEXTS: ReadonlySet<ModelType> = new Set(['sentence_embedding', 'sparse_embedding']);

const { output: TOKENS, shape: PER_TOKEN } = MODEL_TYPES.sentence_embedding;
const PER_TEXT = ['batch_size', 'hidden_size'];
const TOKEN_NAMES = [TOKENS, 'token_embeddings'];
const TEXT_NAMES = ['sentence_embedding'];
/** Names with a known meaning: such an output is never used for another purpose. */
const KNOWN_NAMES = new Set([...TOKEN_NAMES, ...TEXT_NAMES, 'logits', 'pooler_output']);

function sentenceOutput(graph: OutputSource, request: OutputRequest): SelectedOutput {
  const { vectorsOf } = request;
  const { sparse, multiVector } = exportedOutputs(graph) ?? {};
  const outputs = graph.output.filter(({ name }) => name !== sparse && name !== multiVector);
  const tokens = unnamed(outputs, PER_TOKEN.length);
  const ofToken = named(outputs, TOKEN_NAMES) ?? (tokens.length === 1 ? tokens[0] : undefined);
  const texts = outputs.filter((output) => rankOf(output) === PER_TEXT.length && isUsable(output));
  // BERT's pooler is a tanh over the first token, trained for another task; it is used as a text's vector only if nothing else
  // is returned.
  const vectors = texts.filter(
    ({ name }) => tokens.length + Number(ofToken !== undefined) === 0 || !isPooler(graph, name),
  );
  const ofText =
    named(outputs, TEXT_NAMES) ?? (vectorsOf.includes('token') ? onlyOne(vectors) : onlyOne(texts));
  const certain =
    named(outputs, TEXT_NAMES) !== undefined || vectorsOf[0] === 'token' || ofToken === undefined;

  const found = vectorsOf
    .map((what) =>
      what === 'text' ? { name: ofText, shape: PER_TEXT } : { name: ofToken, shape: PER_TOKEN },
    )
    .filter(({ name }) => name !== undefined);
  const [first] = found;
  if (first?.name !== undefined && (certain || found.length === 1)) return { ...first, name: first.name };
  const choices = [...tokens, ...vectors.map(({ name }) => name)];
  throw refusal(rule(vectorsOf), graph, request, choices, wayOut(vectorsOf));
}

/** Logits of tokens, or vectors that the graph has pooled itself. */
function sparseOutput(graph: OutputSource, request: OutputRequest): SelectedOutput {
  const { output: name, shape } = MODEL_TYPES.sparse_embedding;
  const outputs = graph.output;
  const pooled = named(outputs, ['sparse_embedding', ...TEXT_NAMES]);
  if (pooled !== undefined) return { name: pooled, shape: PER_TEXT };
  const logits = named(outputs, [name]);
  if (logits !== undefined) return { name: logits, shape };
  const [ofTokens, ofTexts] = [unnamed(outputs, shape.length), unnamed(outputs, PER_TEXT.length)];
  const [token, text] = [ofTokens[0], ofTexts[0]];
  if (token !== undefined && ofTokens.length === 1) return { name: token, shape };
  if (text !== undefined && ofTokens.length === 0 && ofTexts.length === 1)
    return { name: text, shape: PER_TEXT };
  throw refusal(
    'Model must return logits of tokens (batch_size, sequence_length, vocabulary_size) for model_type sparse_embedding',
    graph,
    request,
    [...ofTokens, ...ofTexts],
    'Choose the right model_type, or export the model with its masked-LM head (`--task fill-mask`).',
  );
}

const onlyOne = (outputs: readonly ValueInfoProto[]): string | undefined =>
  outputs.length === 1 ? outputs[0]?.name : undefined;

/** Detects a pooler by its name, or by the operator that computes it. */
function isPooler({ node }: OutputSource, name: string): boolean {
  return (
    name === 'pooler_output' || node.some(({ opType, output }) => opType === 'Tanh' && output.includes(name))
  );
}

/** Outputs with this number of axes whose names have no known meaning. */
const unnamed = (outputs: readonly ValueInfoProto[], rank: number): string[] =>
  outputs
    .filter((output) => rankOf(output) === rank && isUsable(output) && !KNOWN_NAMES.has(output.name))
    .map(({ name }) => name);

const rankOf = ({ type }: ValueInfoProto): number | undefined => type?.tensorType?.shape?.dim.length;
const isUsable = ({ type }: ValueInfoProto): boolean => isFloat(type?.tensorType?.elemType ?? 0);

function refusal(
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

function rule(vectorsOf: VectorsOf): string {
  if (!vectorsOf.includes('token')) {
    return '`pooling: none` requires the output sentence_embedding, or a single output with two axes';
  }
  return vectorsOf.includes('text')
    ? 'Model must return last_hidden_state, token_embeddings or sentence_embedding for model_type sentence_embedding'
    : '`pooling` requires the output last_hidden_state or token_embeddings for model_type sentence_embedding';
}

function wayOut(vectorsOf: VectorsOf): string {
  return vectorsOf.length > 1
    ? 'Choose the right model_type, or export the model for this task.'
    : 'Remove `pooling`, or export the model with that output.';
}

const named = (outputs: readonly ValueInfoProto[], names: readonly string[]): string | undefined =>
  names.find((name) => outputs.some((output) => output.name === name));

const namesOf = (outputs: readonly ValueInfoProto[]): string =>
  outputs.map(({ name }) => `\`${name}\``).join(', ');
