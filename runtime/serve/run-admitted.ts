import type { Lifecycle } from './lifecycle.ts';

/** Runs the work of a request that a shutdown waits for. Rejects with a retryable error while the server starts or stops. */
export async function runAdmitted<Result>(
  lifecycle: Lifecycle,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  const leave = lifecycle.enter();
  try {
    return await work();
  } finally {
    leave();
  }
}
