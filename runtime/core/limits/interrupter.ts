/** Runs code that blocks the thread, and stops it at the time limit, even if it is executing WebAssembly. */
export interface Interrupter {
  /**
   * Throws an `InterruptedError` at the time limit. The interrupted code's data stays as it is at
   * that moment.
   */
  readonly run: <Result>(milliseconds: number, body: () => Result) => Result;
}

export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';
}
