import { writeSync } from 'node:fs';
import { errorCode } from '#core/values/error-code.ts';

/**
 * The error for output whose reader has closed it (`| head`). The program can stop, and this is not
 * a failure.
 */
export class OutputClosedError extends Error {}

/** Writes a whole text synchronously, even to a pipe, so that nothing is lost if the process then exits. */
export function writeAll(fd: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length;) {
    try {
      done += writeSync(fd, bytes, done);
    } catch (error) {
      const code = errorCode(error);
      if (code === 'EPIPE')
        throw new OutputClosedError('the output was closed by its reader', { cause: error });
      if (code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}
