import { configError } from '../../../runtime/contract/errors.ts';
import { MODEL_TYPES, type ModelType } from '../../../runtime/contract/model-types.ts';
import type { ValueInfoProto } from '../../../runtime/gen/onnx/v1/onnx_pb.ts';

/** The output that results are made of, and the axes it must have. */
export interface WantedOutput {
  readonly name: string;
  readonly shape: readonly string[];
}

/** What a sentence_embedding model may return vectors of, the best first. Those of tokens we pool ourselves. */
export type VectorsOf = readonly ('text' | 'token')[];

/** Chooses among a graph's outputs. `vectorsOf` is for models of type sentence_embedding. */
export function wantedOutput(
  outputs: readonly ValueInfoProto[],
  modelType: ModelType,
  vectorsOf: VectorsOf,
  file: string,
): WantedOutput {
  if (modelType === 'sentence_embedding') return sentenceOutput(outputs, vectorsOf, file);
  const { output: name, shape } = MODEL_TYPES[modelType];
  if (outputs.some((output) => output.name === name)) return { name, shape };
  throw configError(
    `Model must return ${name} for model_type ${modelType}; ${file} returns ${namesOf(outputs)}. ` +
      'Choose the model_type that fits, or export the model for this task.',
  );
}

const { output: TOKENS, shape: PER_TOKEN } = MODEL_TYPES.sentence_embedding;
const PER_TEXT = ['batch_size', 'hidden_size'];

function sentenceOutput(
  outputs: readonly ValueInfoProto[],
  vectorsOf: VectorsOf,
  file: string,
): WantedOutput {
  const ofToken = named(outputs, [TOKENS, 'token_embeddings']);
  // Beside the vectors of tokens, an output of another name is not the vector of the text.
  const mayHaveAnyName = ofToken === undefined || !vectorsOf.includes('token');
  const ofText =
    named(outputs, ['sentence_embedding']) ?? (mayHaveAnyName ? onlyOneOfText(outputs) : undefined);
  const found = vectorsOf
    .map((what) =>
      what === 'text' ? { name: ofText, shape: PER_TEXT } : { name: ofToken, shape: PER_TOKEN },
    )
    .find(({ name }) => name !== undefined);
  if (found?.name !== undefined) return { ...found, name: found.name };
  throw configError(`${rule(vectorsOf)}; ${file} returns ${namesOf(outputs)}. ${wayOut(vectorsOf)}`);
}

function onlyOneOfText(outputs: readonly ValueInfoProto[]): string | undefined {
  const [first, ...others] = outputs.filter(({ type }) => type?.tensorType?.shape?.dim.length === 2);
  return others.length === 0 ? first?.name : undefined;
}

function rule(vectorsOf: VectorsOf): string {
  if (!vectorsOf.includes('token')) {
    return '`pooling: none` is for models that return sentence_embedding, or one other output of two axes';
  }
  return vectorsOf.includes('text')
    ? 'Model must return last_hidden_state, token_embeddings or sentence_embedding for model_type sentence_embedding'
    : 'Model must return last_hidden_state or token_embeddings for `pooling` to have something to pool';
}

function wayOut(vectorsOf: VectorsOf): string {
  return vectorsOf.length > 1
    ? 'Choose the model_type that fits, or export the model for this task.'
    : 'Leave `pooling` out, or export the model with that output.';
}

const named = (outputs: readonly ValueInfoProto[], names: readonly string[]): string | undefined =>
  names.find((name) => outputs.some((output) => output.name === name));

const namesOf = (outputs: readonly ValueInfoProto[]): string =>
  outputs.map(({ name }) => `\`${name}\``).join(', ');
