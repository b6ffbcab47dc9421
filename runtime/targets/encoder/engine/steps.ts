/** Steps of `infer`, in the order in which they usually begin. */
export const STEPS = {
  node: 'start of Node',
  program: 'load the program, read the command line',
  libraries: 'find or unpack the native libraries, load the tokenizer library',
  thread: 'start the inference thread (in parallel)',
  onnxruntime: 'load ONNX Runtime',
  model: 'open the file: manifest, graph, tokenizer',
  session: 'create the session (in parallel)',
  tokenizer: 'parse the tokenizer',
  tokenization: 'tokenize the texts',
  inference: 'wait for the session, run the model',
  results: 'compute and print the results',
} as const;

export type Step = keyof typeof STEPS;

/** Receives the start and the end of a step, in milliseconds of `performance.now`. */
export type OnStep = (step: Step, start: number, end: number) => void;

/** Runs `work`, and reports how long it took if there is a receiver. */
export function timeStep<Result>(onStep: OnStep | undefined, step: Step, work: () => Result): Result {
  if (!onStep) return work();
  const start = performance.now();
  const done = (): void => onStep(step, start, performance.now());
  const result = work();
  if (result instanceof Promise) return result.finally(done) as Result;
  done();
  return result;
}

/** The start and the end of a step in another thread, in milliseconds of a clock that all threads share. */
export type SharedSpan = readonly [start: number, end: number];

export const sharedNow = (): number => Number(process.hrtime.bigint()) / 1e6;

/** Reports a step of another thread. */
export function reportShared(onStep: OnStep, step: Step, [start, end]: SharedSpan): void {
  const offset = performance.now() - sharedNow();
  onStep(step, start + offset, end + offset);
}
