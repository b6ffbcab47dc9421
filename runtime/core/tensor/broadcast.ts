import { describeShape } from './shape.ts';

type Shape = readonly number[];

/** Returns the broadcast shape of two shapes as in numpy: sizes are matched from the last axis, and 1 matches every size. */
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

/** The axes for walking over a broadcast shape, last first; axes that can be merged are merged. */
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
