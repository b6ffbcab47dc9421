/**
 * Values of `--device`. `auto` uses the GPU for batches that it runs faster than the CPU, if its
 * results are the same; `gpu` fails if there is no GPU.
 */
export const DEVICES = ['auto', 'cpu', 'gpu'] as const;
export type Device = (typeof DEVICES)[number];

/** Without this flag, and without a default of the build, no GPU is opened, because this takes time and memory. */
export const DEFAULT_DEVICE: Device = 'cpu';

/** Converts the value of the flag, which has been checked against its choices. Undefined if it is not set. */
export const readDevice = (text: string | undefined): Device | undefined =>
  DEVICES.find((device) => device === text);

/** Values of `--precision`: how a GPU computes products of matrices. */
export const GPU_PRECISIONS = ['float32', 'float16'] as const;
export type GpuPrecision = (typeof GPU_PRECISIONS)[number];
export const DEFAULT_PRECISION: GpuPrecision = 'float32';

/** Converts the value of the flag, which has been checked against its choices. */
export const readPrecision = (text: string | undefined): GpuPrecision =>
  GPU_PRECISIONS.find((precision) => precision === text) ?? DEFAULT_PRECISION;

/**
 * Maximum difference between the results of a GPU and of the CPU, relative to the largest value. A number
 * in float16 is rounded by up to 5e-4 of its value.
 */
export const MAX_GPU_DIFFERENCE: Readonly<Record<GpuPrecision, number>> = { float32: 1e-5, float16: 5e-3 };
