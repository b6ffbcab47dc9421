/** Runs code that blocks the thread, and stops it when the time is over, wherever it is: also in WebAssembly. */
export interface Interrupter {
  /** Throws an `InterruptedError` when the time is over. Code that was interrupted leaves its data as they are. */
  readonly run: <Result>(milliseconds: number, body: () => Result) => Result;
}

export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';
}
