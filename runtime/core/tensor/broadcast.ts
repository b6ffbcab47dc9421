import {
  describeShape,
  type Allocate,
  createTensor,
  type Operand,
  type Tensor,
  toTensor,
  isSameShape,
} from './tensor.ts';

type Shape = readonly number[];

/** Broadcasts two shapes as in numpy: sizes are matched from the last axis, and 1 matches every size. */
export function broadcastShapes(left: Shape, right: Shape, what: string): number[] {
  const shape: number[] = [];
  for (let fromEnd = Math.max(left.length, right.length); fromEnd > 0; fromEnd--) {
    const [a, b] = [left.at(-fromEnd) ?? 1, right.at(-fromEnd) ?? 1];
    if (a !== b && a !== 1 && b !== 1) throw new Error(misfit(left, right, a, b, fromEnd, what));
    shape.push(a === 1 ? b : a);
  }
  return shape;
}

function misfit(left: Shape, right: Shape, a: number, b: number, fromEnd: number, what: string): string {
  return (
    `${what}: shapes ${describeShape(left)} and ${describeShape(right)} cannot be broadcast: axis -${fromEnd} has ${a} and ${b} ` +
    'elements. Sizes are matched from the last axis; they must be equal, or one of them 1.'
  );
}

/** An axis of the result, with its stride in each operand; a stride of 0 repeats one element. */
export interface PairedAxis {
  size: number;
  readonly left: number;
  readonly right: number;
}

/**
 * Returns the axes for an iteration over a broadcast shape, from last to first. Axes are merged if
 * possible.
 */
export function pairAxes(shape: Shape, left: Shape, right: Shape): PairedAxis[] {
  const axes: PairedAxis[] = [];
  let [leftStep, rightStep] = [1, 1];
  for (let fromEnd = 1; fromEnd <= shape.length; fromEnd++) {
    const [leftSize, rightSize] = [left.at(-fromEnd) ?? 1, right.at(-fromEnd) ?? 1];
    const axis = {
      size: shape.at(-fromEnd) ?? 1,
      left: leftSize === 1 ? 0 : leftStep,
      right: rightSize === 1 ? 0 : rightStep,
    };
    if (axis.size !== 1) addAxis(axes, axis);
    leftStep *= leftSize;
    rightStep *= rightSize;
  }
  return axes;
}

function addAxis(axes: PairedAxis[], axis: PairedAxis): void {
  const inner = axes.at(-1);
  const continues = inner && axis.left === inner.left * inner.size && axis.right === inner.right * inner.size;
  if (continues) inner.size *= axis.size;
  else axes.push(axis);
}

/** Calls `visit` for each element in result order, with its positions in the result and in the operands. */
export function walkPairs(
  axes: readonly PairedAxis[],
  visit: (at: number, leftAt: number, rightAt: number) => void,
): void {
  let at = 0;
  const walk = (depth: number, leftAt: number, rightAt: number): void => {
    const axis = axes[depth];
    if (axis === undefined) return visit(at++, leftAt, rightAt);
    for (let index = 0; index < axis.size; index++) {
      walk(depth - 1, leftAt + index * axis.left, rightAt + index * axis.right);
    }
  };
  walk(axes.length - 1, 0, 0);
}

/** A row of elements: `count` results from `at` on, with a step of 1 or 0 in the operands. */
export interface BroadcastRow {
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

/**
 * Computes one row. Each operation has its own loop, because a function call for each element would
 * take longer than the operation.
 */
type RowKernel = (row: BroadcastRow) => void;

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

/** Like `combine`, but writes to an existing tensor. Both operands must broadcast to its shape. */
function combineInto(out: Tensor, left: Tensor, right: Tensor, kernel: RowKernel): void {
  if (out.data.length === 0) return;
  const [inner, ...outer] = pairAxes(out.shape, left.shape, right.shape);
  const row: BroadcastRow = {
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

export const add = (allocate: Allocate, left: Operand, right: Operand): Tensor =>
  combine(allocate, left, right, '+', addRow);

export const subtract = (allocate: Allocate, left: Operand, right: Operand): Tensor =>
  combine(allocate, left, right, '-', subtractRow);

export const multiply = (allocate: Allocate, left: Operand, right: Operand): Tensor =>
  combine(allocate, left, right, '*', multiplyRow);

export const divide = (allocate: Allocate, left: Operand, right: Operand): Tensor =>
  combine(allocate, left, right, '/', divideRow);

// Adding, multiplying or dividing as doubles and then rounding to float32 gives the same results as
// float32 arithmetic.

function addRow({ out, at, count, left, leftAt, leftStep, right, rightAt, rightStep }: BroadcastRow): void {
  for (let i = 0; i < count; i++) {
    out[at + i] = (left[leftAt + i * leftStep] ?? 0) + (right[rightAt + i * rightStep] ?? 0);
  }
}

function subtractRow({
  out,
  at,
  count,
  left,
  leftAt,
  leftStep,
  right,
  rightAt,
  rightStep,
}: BroadcastRow): void {
  for (let i = 0; i < count; i++) {
    out[at + i] = (left[leftAt + i * leftStep] ?? 0) - (right[rightAt + i * rightStep] ?? 0);
  }
}

function multiplyRow({
  out,
  at,
  count,
  left,
  leftAt,
  leftStep,
  right,
  rightAt,
  rightStep,
}: BroadcastRow): void {
  for (let i = 0; i < count; i++) {
    out[at + i] = (left[leftAt + i * leftStep] ?? 0) * (right[rightAt + i * rightStep] ?? 0);
  }
}

function divideRow({
  out,
  at,
  count,
  left,
  leftAt,
  leftStep,
  right,
  rightAt,
  rightStep,
}: BroadcastRow): void {
  for (let i = 0; i < count; i++) {
    out[at + i] = (left[leftAt + i * leftStep] ?? 0) / (right[rightAt + i * rightStep] ?? 0);
  }
}

// 1 where the comparison holds, otherwise 0; comparisons with NaN never hold.

export const isGreater = (allocate: Allocate, left: Operand, right: Operand): Tensor =>
  combine(allocate, left, right, 'gt', greaterRow);

export const isLess = (allocate: Allocate, left: Operand, right: Operand): Tensor =>
  combine(allocate, right, left, 'lt', greaterRow);

export const isGreaterOrEqual = (allocate: Allocate, left: Operand, right: Operand): Tensor =>
  combine(allocate, left, right, 'ge', greaterOrEqualRow);

export const isLessOrEqual = (allocate: Allocate, left: Operand, right: Operand): Tensor =>
  combine(allocate, right, left, 'le', greaterOrEqualRow);

function greaterRow({
  out,
  at,
  count,
  left,
  leftAt,
  leftStep,
  right,
  rightAt,
  rightStep,
}: BroadcastRow): void {
  for (let i = 0; i < count; i++) {
    out[at + i] = (left[leftAt + i * leftStep] ?? 0) > (right[rightAt + i * rightStep] ?? 0) ? 1 : 0;
  }
}

function greaterOrEqualRow({
  out,
  at,
  count,
  left,
  leftAt,
  leftStep,
  right,
  rightAt,
  rightStep,
}: BroadcastRow): void {
  for (let i = 0; i < count; i++) {
    out[at + i] = (left[leftAt + i * leftStep] ?? 0) >= (right[rightAt + i * rightStep] ?? 0) ? 1 : 0;
  }
}

/** Whether shapes and elements are equal. NaN is not equal to any value. */
export function isEqual(left: Tensor, right: Tensor): boolean {
  if (!isSameShape(left.shape, right.shape)) return false;
  for (let at = 0; at < left.data.length; at++) {
    if (left.data[at] !== right.data[at]) return false;
  }
  return true;
}

/**
 * Selects elements of `yes` where the condition is not zero (NaN is not zero), and elements of `no`
 * elsewhere.
 */
export function where(allocate: Allocate, condition: Tensor, yes: Operand, no: Operand): Tensor {
  const [a, b] = [toTensor(yes), toTensor(no)];
  const choices = broadcastShapes(a.shape, b.shape, 'where');
  const out = createTensor(allocate, broadcastShapes(condition.shape, choices, 'where'));
  combineInto(out, condition, a, writeWhereSet);
  combineInto(out, condition, b, writeWhereZero);
  return out;
}

function writeWhereSet({
  out,
  at,
  count,
  left,
  leftAt,
  leftStep,
  right,
  rightAt,
  rightStep,
}: BroadcastRow): void {
  for (let i = 0; i < count; i++) {
    if ((left[leftAt + i * leftStep] ?? 0) !== 0) out[at + i] = right[rightAt + i * rightStep] ?? 0;
  }
}

function writeWhereZero({
  out,
  at,
  count,
  left,
  leftAt,
  leftStep,
  right,
  rightAt,
  rightStep,
}: BroadcastRow): void {
  for (let i = 0; i < count; i++) {
    if ((left[leftAt + i * leftStep] ?? 0) === 0) out[at + i] = right[rightAt + i * rightStep] ?? 0;
  }
}
