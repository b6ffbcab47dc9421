import type { ValueStep } from '#contract/image-recipe.ts';

/** Number of values that a channel of a pixel can have. */
const VALUES = 256;

/**
 * The values of the tensor for all 256 values of a channel. Every operation is rounded to 32 bits, or
 * computed in 64 bits, where NumPy and torch do this.
 */
export function valueTable(steps: readonly ValueStep[], channel: 0 | 1 | 2): Float32Array {
  const table = new Float32Array(VALUES);
  for (let value = 0; value < VALUES; value += 1) {
    let result = value;
    for (const step of steps) result = applyStep(step, result, channel);
    table[value] = result;
  }
  return table;
}

function applyStep(step: ValueStep, value: number, channel: 0 | 1 | 2): number {
  switch (step.kind) {
    case 'rescale':
      return Math.fround(Math.fround(value * step.factor) + step.offset);
    case 'divide':
      return Math.fround(value / step.by);
    case 'normalize':
    default: {
      const difference = Math.fround(value - Math.fround(step.mean[channel]));
      return Math.fround(difference / Math.fround(step.std[channel]));
    }
  }
}
