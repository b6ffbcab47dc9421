import { AppError } from '#contract/errors.ts';
import { hasTransforms, type ModelType, vectorKind } from '#contract/model-types.ts';
import { describeShape, type Tensor } from '#core/tensor/tensor.ts';
import { findNotFinite, placeOf } from '#core/numbers/finite.ts';
import type { TransformScript } from './transform-script.ts';

/** Kind of a transform's result: new vectors, new scores, or a label index per text or token. */
export type ResultKind = 'vectors' | 'scores' | 'indices';

interface AllowedResult {
  readonly shape: readonly (number | string)[];
  readonly kind: ResultKind;
}

/** Returns the allowed results for an input of shape [1, ...]. An axis of any size is a string. */
function allowedResults(modelType: ModelType, input: readonly number[]): AllowedResult[] {
  const [texts = 1, tokens = 0] = input;
  const vectors = vectorKind(modelType);
  if (vectors === undefined) {
    return [
      { shape: input, kind: 'scores' },
      { shape: input.slice(0, -1), kind: 'indices' },
    ];
  }
  return [{ shape: vectors === 'text' ? [texts, 'width'] : [texts, tokens, 'width'], kind: 'vectors' }];
}

/**
 * Returns the kind of a result. Throws an InternalError with the allowed shapes if the result has
 * another shape.
 */
export function checkResult(modelType: ModelType, input: readonly number[], result: Tensor): ResultKind {
  if (!hasTransforms(modelType)) throw new Error(`a transform of ${modelType}`);
  const allowed = allowedResults(modelType, input);
  const found = allowed.find(({ shape }) => fits(result.shape, shape));
  if (!found) {
    const shapes = allowed.map(({ shape }) => describeShape(shape)).join(' or ');
    throw new AppError(
      'InternalError',
      `Postprocess must return a tensor of shape ${shapes} for an input of ${describeShape(input)}, not ${describeShape(result.shape)}`,
    );
  }
  if (found.kind === 'indices') checkIndices(result, input.at(-1) ?? 0);
  return found.kind;
}

const fits = (actual: readonly number[], wanted: readonly (number | string)[]): boolean =>
  actual.length === wanted.length &&
  wanted.every((size, axis) => (typeof size === 'number' ? size === actual[axis] : (actual[axis] ?? 0) > 0));

function checkIndices({ data }: Tensor, labels: number): void {
  const wrong = data.find((index) => !Number.isInteger(index) || index < 0 || index >= labels);
  if (wrong === undefined) return;
  throw new AppError(
    'InternalError',
    `Postprocess returned ${wrong} as a label index; there are ${labels} labels, and indexes start at 0, as in argmax`,
  );
}

/**
 * Throws an InternalError with the script's name and the position in the tensor if the result
 * contains a number that JSON cannot represent.
 */
export function checkFinite({ data, shape }: Tensor, { name }: Pick<TransformScript, 'name'>): void {
  const index = findNotFinite(data);
  if (index === undefined) return;
  throw new AppError(
    'InternalError',
    `The transform failed: ${name}: Postprocess returned ${data[index]} at ${describeShape(placeOf(index, shape))}; ` +
      'results must be finite numbers. Check divisions by 0, logarithms and roots',
  );
}
