import { writeSync } from 'node:fs';

/** Nobody reads the output any more (`| head`): work may stop, and that is no failure. */
export class ReaderGone extends Error {}

/** Writes all of a text before it returns, also to a pipe: nothing is cut when the process ends right after. */
export function writeAll(fd: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length;) {
    try {
      done += writeSync(fd, bytes, done);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EPIPE') throw new ReaderGone('the output was closed by its reader', { cause: error });
      if (code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}
