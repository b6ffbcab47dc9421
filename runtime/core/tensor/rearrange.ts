import {
  resolveAxis,
  splitAt,
  describeShape,
  isSameShape,
  type Allocate,
  createTensor,
  type Tensor,
  indexFromEither,
  checkAxes,
  checkSizes,
  elementsIn,
  checkExtent,
  type Operand,
  toTensor,
} from './tensor.ts';

/** Concatenates tensors along an axis; their other axes must be equal. */
export function concat(allocate: Allocate, tensors: readonly Tensor[], axis: number): Tensor {
  const [first] = tensors;
  if (first === undefined) {
    throw new Error('concat: the list of tensors is empty; at least one tensor is required.');
  }
  const index = resolveAxis(axis, first.shape, 'concat');
  checkShapes(tensors, first, index);
  const length = tensors.reduce((sum, { shape }) => sum + (shape[index] ?? 0), 0);
  const out = createTensor(allocate, first.shape.with(index, length));
  const { outer, inner } = splitAt(out.shape, index);
  let at = 0;
  for (const { data, shape } of tensors) {
    const block = (shape[index] ?? 0) * inner;
    copyBlocks({ data: out.data, at, step: length * inner }, { data, at: 0, step: block }, block, outer);
    at += block;
  }
  return out;
}

function checkShapes(tensors: readonly Tensor[], first: Tensor, axis: number): void {
  const rest = first.shape.toSpliced(axis, 1);
  const odd = tensors.findIndex(
    ({ shape }) => shape.length !== first.shape.length || !isSameShape(shape.toSpliced(axis, 1), rest),
  );
  if (odd === -1) return;
  throw new Error(
    `concat: tensor 1 has shape ${describeShape(first.shape)} and tensor ${odd + 1} has shape ` +
      `${describeShape(tensors[odd]?.shape ?? [])}; shapes may differ only in axis ${axis + 1}.`,
  );
}

/** Blocks of elements: the first at `at`, each `step` after the previous one. */
interface Blocks {
  readonly data: Float32Array;
  readonly at: number;
  readonly step: number;
}

/** Copies `count` blocks of `length` elements. */
function copyBlocks(to: Blocks, from: Blocks, length: number, count: number): void {
  for (let block = 0; block < count; block++) {
    const target = to.at + block * to.step;
    const source = from.at + block * from.step;
    // Copies element by element: most blocks are short, so that creating views would take longer
    // than copying.
    for (let i = 0; i < length; i++) to.data[target + i] = from.data[source + i] ?? 0;
  }
}

/** Removes one axis of size 1, or all axes of size 1. */
export function squeeze({ data, shape }: Tensor, axis: number | undefined): Tensor {
  if (axis === undefined) return { data, shape: shape.filter((size) => size !== 1) };
  const index = resolveAxis(axis, shape, 'squeeze');
  if (shape[index] !== 1) {
    throw new Error(
      `squeeze: axis ${axis} of a tensor of shape ${describeShape(shape)} has ${shape[index]} elements; ` +
        'only axes of size 1 can be removed.',
    );
  }
  return { data, shape: shape.toSpliced(index, 1) };
}

/** Inserts an axis of size 1 at position `axis` of the result. */
export function unsqueeze({ data, shape }: Tensor, axis: number): Tensor {
  const rank = shape.length + 1;
  const index = indexFromEither(axis, rank);
  if (index === undefined) {
    throw new Error(
      `unsqueeze: a tensor of shape ${describeShape(shape)} cannot get a new axis ${axis}: valid axes are 1 to ` +
        `${rank}, or -1 to -${rank} from the end.`,
    );
  }
  checkAxes(rank);
  return { data, shape: shape.toSpliced(index, 0, 1) };
}

/**
 * Returns the same elements in the same order with another shape. One size can be -1, and is then
 * computed from the others.
 */
export function reshape({ data, shape }: Tensor, sizes: readonly number[]): Tensor {
  const unknown = sizes.indexOf(-1);
  const known = unknown === -1 ? sizes : sizes.toSpliced(unknown, 1);
  checkSizes(known, 'reshape');
  const rest = data.length / elementsIn(known);
  const isWhole = unknown === -1 ? elementsIn(known) === data.length : Number.isInteger(rest);
  if (!isWhole) {
    throw new Error(
      `reshape: a tensor of shape ${describeShape(shape)} has ${data.length} elements and cannot become ${describeShape(sizes)}.`,
    );
  }
  const wanted = unknown === -1 ? [...sizes] : sizes.with(unknown, rest);
  checkExtent(wanted);
  return { data, shape: wanted };
}

/** Swaps the last two axes. */
export function transpose(allocate: Allocate, tensor: Tensor): Tensor {
  const { shape, data } = tensor;
  const [rows, columns] = [shape.at(-2), shape.at(-1)];
  if (rows === undefined || columns === undefined) {
    throw new Error(`transpose: a tensor of shape ${describeShape(shape)} has fewer than two axes.`);
  }
  const out = createTensor(allocate, [...shape.slice(0, -2), columns, rows]);
  const matrices = elementsIn(shape.slice(0, -2));
  for (let matrix = 0; matrix < matrices; matrix++) {
    const from = matrix * rows * columns;
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        out.data[from + column * rows + row] = data[from + row * columns + column] ?? 0;
      }
    }
  }
  return out;
}

/** Keeps the first `length` elements along an axis, or all if there are fewer. */
export function truncateAxis(allocate: Allocate, tensor: Tensor, axis: number, length: number): Tensor {
  const index = resolveAxis(axis, tensor.shape, 'truncate_axis');
  if (!Number.isInteger(length) || length < 0) {
    throw new Error(`truncate_axis: invalid length ${length}: it must be an integer of at least 0.`);
  }
  const { outer, size, inner } = splitAt(tensor.shape, index);
  const kept = Math.min(length, size);
  const out = createTensor(allocate, tensor.shape.with(index, kept));
  const to = { data: out.data, at: 0, step: kept * inner };
  copyBlocks(to, { data: tensor.data, at: 0, step: size * inner }, kept * inner, outer);
  return out;
}

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
