/** Receives the start and end of a step, in milliseconds of `performance.now`. */
export type OnStep<Step extends string> = (step: Step, start: number, end: number) => void;

/** Runs `work`, and calls `onStep` with the start and end if it is set. */
export function timeStep<Step extends string, Result>(
  onStep: OnStep<Step> | undefined,
  step: Step,
  work: () => Result,
): Result {
  if (!onStep) return work();
  const start = performance.now();
  const done = (): void => onStep(step, start, performance.now());
  const result = work();
  if (result instanceof Promise) return result.finally(done) as Result;
  done();
  return result;
}
