import { configError } from '#contract/errors.ts';
import type { Value } from './graph-writer.ts';
import { type ImageGraph, type ImageSize, sizeText } from './image-graph.ts';

/** How positions are interpolated: with cubic weights of 4 neighbors, or of all cells that a new cell covers. */
export type Resizing = 'bicubic' | 'antialiased';

interface ResizeRequest {
  readonly from: ImageSize;
  readonly to: ImageSize;
  readonly width: number;
  readonly resizing: Resizing;
}

/**
 * Interpolates a grid of positions, cells x width, as `torch.nn.functional.interpolate` does. Both
 * directions are products with a constant matrix. Because all values are constants, ONNX Runtime
 * computes them during the build.
 */
export function resizePositions(
  g: ImageGraph,
  positions: Value,
  { from, to, width, resizing }: ResizeRequest,
): Value {
  // transformers derives the grid from the number of positions.
  if (from.height !== from.width) {
    throw configError(
      `Positions for ${sizeText(from)} patches cannot be adapted to ${sizeText(to)} patches, because only square grids can be adapted. Use images of the size in config.json.`,
    );
  }
  const { writer } = g;
  const matrix = (inputs: number, outputs: number): Value =>
    writer.floats(WEIGHTS[resizing](inputs, outputs), [outputs, inputs]);
  const shaped = (value: Value, shape: readonly number[]): Value =>
    writer.op('Reshape', [value, writer.integers(shape)]);
  const lines = shaped(positions, [from.height, from.width * width]);
  const down = writer.op('MatMul', [matrix(from.height, to.height), lines]);
  const across = writer.op('MatMul', [
    matrix(from.width, to.width),
    shaped(down, [to.height, from.width, width]),
  ]);
  return shaped(across, [to.height * to.width, width]);
}

/** Cubic convolution weight at a distance, for |slope| at distance 1. */
function cubic(distance: number, slope: number): number {
  const x = Math.abs(distance);
  if (x <= 1) return ((slope + 2) * x - (slope + 3)) * x * x + 1;
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * slope : 0;
}

/** Torch uses different slopes for both methods. */
const SLOPES = { bicubic: -0.75, antialiased: -0.5 } as const;

/** The weights of inputs for each output, outputs x inputs. */
const WEIGHTS: Record<Resizing, (inputs: number, outputs: number) => Float32Array> = {
  bicubic: (inputs, outputs) => {
    const weights = new Float32Array(outputs * inputs);
    for (let output = 0; output < outputs; output += 1) {
      const center = ((output + 0.5) * inputs) / outputs - 0.5;
      const first = Math.floor(center);
      for (let neighbor = first - 1; neighbor <= first + 2; neighbor += 1) {
        // Beyond the border, the value of the border counts.
        const at = output * inputs + Math.min(Math.max(neighbor, 0), inputs - 1);
        weights[at] = (weights[at] ?? 0) + cubic(center - neighbor, SLOPES.bicubic);
      }
    }
    return weights;
  },
  antialiased: (inputs, outputs) => {
    const weights = new Float32Array(outputs * inputs);
    const scale = inputs / outputs;
    const stretch = Math.max(scale, 1);
    for (let output = 0; output < outputs; output += 1) {
      const center = scale * (output + 0.5);
      const start = Math.max(Math.trunc(center - 2 * stretch + 0.5), 0);
      const end = Math.min(Math.trunc(center + 2 * stretch + 0.5), inputs);
      const own = Array.from({ length: end - start }, (_, at) =>
        cubic((at + start - center + 0.5) / stretch, SLOPES.antialiased),
      );
      const sum = own.reduce((total, value) => total + value, 0);
      // Beyond the border, there is no value.
      for (const [at, value] of own.entries()) weights[output * inputs + start + at] = value / sum;
    }
    return weights;
  },
};
