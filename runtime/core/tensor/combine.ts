import { broadcastShapes, pairAxes, walkPairs } from './broadcast.ts';
import { type Allocate, createTensor, type Operand, type Tensor, toTensor } from './tensor.ts';

/** A row of elements: `count` results from `at`, with a step of 1 or 0 in the operands. */
export interface Row {
  readonly out: Float32Array;
  readonly count: number;
  readonly left: Float32Array;
  readonly leftStep: number;
  readonly right: Float32Array;
  readonly rightStep: number;
  at: number;
  leftAt: number;
  rightAt: number;
}

/** Computes one row. Each operation has its own loop, because a call per element would cost more than the operation. */
export type RowKernel = (row: Row) => void;

/** Combines two operands element by element, broadcasting shapes as in numpy. */
export function combine(
  allocate: Allocate,
  left: Operand,
  right: Operand,
  what: string,
  kernel: RowKernel,
): Tensor {
  const [a, b] = [toTensor(left), toTensor(right)];
  const out = createTensor(allocate, broadcastShapes(a.shape, b.shape, what));
  combineInto(out, a, b, kernel);
  return out;
}

/** Same, into a tensor whose shape both operands can be broadcast to. */
export function combineInto(out: Tensor, left: Tensor, right: Tensor, kernel: RowKernel): void {
  if (out.data.length === 0) return;
  const [inner, ...outer] = pairAxes(out.shape, left.shape, right.shape);
  const row: Row = {
    out: out.data,
    count: inner?.size ?? 1,
    left: left.data,
    leftStep: inner?.left ?? 0,
    right: right.data,
    rightStep: inner?.right ?? 0,
    at: 0,
    leftAt: 0,
    rightAt: 0,
  };
  walkPairs(outer, (index, leftAt, rightAt) => {
    row.at = index * row.count;
    row.leftAt = leftAt;
    row.rightAt = rightAt;
    kernel(row);
  });
}
