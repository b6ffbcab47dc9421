import { describeShape, elementsIn } from './shape.ts';
import { type Allocate, createTensor, type Tensor } from './tensor.ts';

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
