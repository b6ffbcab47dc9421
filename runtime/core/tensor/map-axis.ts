import { resolveAxis, splitAt } from './axis.ts';
import { concat } from './concat.ts';
import { copyBlocks } from './copy-blocks.ts';
import { describeShape, isSameShape } from './shape.ts';
import { unsqueeze } from './squeeze.ts';
import { type Allocate, createTensor, type Operand, type Tensor, toTensor } from './tensor.ts';

/** Calls a function with each slice along an axis, a tensor without it, and stacks the results along that axis. */
export function mapAxis(
  allocate: Allocate,
  tensor: Tensor,
  axis: number,
  change: (slice: Tensor) => Operand,
): Tensor {
  const index = resolveAxis(axis, tensor.shape, 'map_axis');
  const slices = tensor.shape[index] ?? 0;
  if (slices === 0) {
    throw new Error(
      `map_axis: axis ${axis} of a tensor of shape ${describeShape(tensor.shape)} has no slices to map.`,
    );
  }
  const results: Tensor[] = [];
  for (let place = 0; place < slices; place++) {
    results.push(toTensor(change(sliceAt(allocate, tensor, index, place))));
  }
  checkResults(results, index);
  return concat(
    allocate,
    results.map((result) => unsqueeze(result, index + 1)),
    index + 1,
  );
}

function sliceAt(allocate: Allocate, { data, shape }: Tensor, axis: number, place: number): Tensor {
  const { outer, size, inner } = splitAt(shape, axis);
  const slice = createTensor(allocate, shape.toSpliced(axis, 1));
  const from = { data, at: place * inner, step: size * inner };
  copyBlocks({ data: slice.data, at: 0, step: inner }, from, inner, outer);
  return slice;
}

function checkResults(results: readonly Tensor[], axis: number): void {
  const shape = results[0]?.shape ?? [];
  const odd = results.findIndex((result) => !isSameShape(result.shape, shape));
  if (odd !== -1) {
    throw new Error(
      `map_axis: the function returned shape ${describeShape(shape)} for slice 1 and ` +
        `${describeShape(results[odd]?.shape ?? [])} for slice ${odd + 1}; all results must have the same shape.`,
    );
  }
  if (axis > shape.length) {
    throw new Error(
      `map_axis: results of shape ${describeShape(shape)} cannot be stacked along axis ${axis + 1}.`,
    );
  }
}
