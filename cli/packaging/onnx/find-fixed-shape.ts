import type { FixedShape } from '#contract/fixed-shape.ts';
import { configError } from '#contract/errors.ts';
import type { ValueInfoProto } from '#gen/onnx/v1/onnx_pb.ts';
import type { MatchedInput } from './matched-input.ts';

/** Fewer tokens have no room for a token of the text between the special tokens. */
const MIN_TOKENS = 3;

/** Maximum number of tokens of a run, so that a damaged file does not fill the memory. */
const MAX_CELLS = 4_194_304;

/**
 * The sizes that a graph requires of each run, as exports without dynamic axes have them. Undefined if it accepts any number of texts and
 * tokens. Refuses inputs that do not have these two axes, or that contradict each other.
 */
export function findFixedShape(inputs: readonly MatchedInput[], file: string): FixedShape | undefined {
  const shaped = inputs.flatMap(({ value }) => (value.type?.tensorType?.shape ? [value] : []));
  const other = shaped.find((value) => axesOf(value).length !== AXES.length);
  if (other) {
    throw configError(
      `Input \`${other.name}\` of ${file} has the shape ${shownShape(other)}, but [batch, sequence] is required. Export the model with inputs of these two axes.`,
    );
  }
  const [texts, tokens] = AXES.map((_, axis) => {
    const sizes = new Set(shaped.map((value) => axesOf(value)[axis]).filter((size) => size !== undefined));
    if (sizes.size > 1) throw contradiction(shaped, file);
    return [...sizes][0];
  });
  if (tokens !== undefined && tokens < MIN_TOKENS) {
    throw configError(
      `The inputs of ${file} have the fixed shape [${texts ?? 'any'}, ${tokens}], which has no room for a text. Export the model with dynamic axes.`,
    );
  }
  if ((texts ?? 1) * (tokens ?? 1) > MAX_CELLS) {
    throw configError(
      `The inputs of ${file} have the fixed shape [${texts ?? 'any'}, ${tokens ?? 'any'}], but a run has at most ${MAX_CELLS} tokens. Export the model with dynamic axes.`,
    );
  }
  if (texts === undefined && tokens === undefined) return undefined;
  return { ...(texts === undefined ? {} : { texts }), ...(tokens === undefined ? {} : { tokens }) };
}

const AXES = ['batch', 'sequence'];

/** Size of each axis; undefined if it is free, which some exporters write as -1. */
const axesOf = ({ type }: ValueInfoProto): (number | undefined)[] =>
  (type?.tensorType?.shape?.dim ?? []).map(({ dimValue }) => (dimValue > 0n ? Number(dimValue) : undefined));

const shownShape = (value: ValueInfoProto): string =>
  `[${axesOf(value)
    .map((size, axis) => size ?? (value.type?.tensorType?.shape?.dim[axis]?.dimParam || 'any'))
    .join(', ')}]`;

const contradiction = (inputs: readonly ValueInfoProto[], file: string): Error =>
  configError(
    `The inputs of ${file} have different fixed shapes: ${inputs.map((value) => `\`${value.name}\` ${shownShape(value)}`).join(', ')}. Export the model with dynamic axes.`,
  );
