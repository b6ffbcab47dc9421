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

/** Maximum difference between the results of a GPU and of the CPU, relative to the largest value. */
export const MAX_GPU_DIFFERENCE = 1e-5;
