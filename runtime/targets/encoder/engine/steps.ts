import type { OnStep } from '#core/time/time-step.ts';

/** Steps of `infer`, in their usual order. */
export const STEPS = {
  node: 'start Node',
  program: 'load the program and parse the command line',
  libraries: 'find or extract the native libraries, and load the tokenizer library',
  thread: 'start the inference thread (in parallel)',
  model: 'read the manifest, graph and tokenizer from the file',
  onnxruntime: 'load ONNX Runtime',
  session: 'create the session (in parallel)',
  tokenizer: 'parse the tokenizer',
  tokenization: 'tokenize the texts',
  inference: 'wait for the session and run the model',
  results: 'compute and print the results',
} as const;

export type Step = keyof typeof STEPS;

/** The start and end of a step in another thread, in milliseconds. All threads use the same clock. */
export type SharedSpan = readonly [start: number, end: number];

export const sharedNow = (): number => Number(process.hrtime.bigint()) / 1e6;

/** Reports a step of another thread. */
export function reportShared(onStep: OnStep<Step>, step: Step, [start, end]: SharedSpan): void {
  const offset = performance.now() - sharedNow();
  onStep(step, start + offset, end + offset);
}
