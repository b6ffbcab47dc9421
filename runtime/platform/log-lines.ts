import type { Writable } from 'node:stream';

/**
 * Lines of log. Whoever reads them may be slow or gone, or a disk may be full: then lines are lost, and nothing else is. What
 * serves requests must never wait for its log, nor fail with it.
 */
export interface LogLines {
  readonly write: (line: string) => void;
  /** Resolves when everything has left, or will not leave soon. */
  readonly flushed: () => Promise<void>;
}

/** More is not kept for a reader that does not read. */
const MOST_WAITING_BYTES = 1_048_576;
const PATIENCE_MILLISECONDS = 1000;

export function openLogLines(stream: Writable): LogLines {
  // Without a listener an error would end the process.
  stream.on('error', () => {});
  // Under load a turn of the event loop has many lines, and each write costs as much as the request it tells of.
  let waiting = '';
  const write = (): void => {
    const text = waiting;
    waiting = '';
    if (text !== '') stream.write(text);
  };
  return {
    write(line) {
      if (stream.writableLength + waiting.length >= MOST_WAITING_BYTES) return;
      if (waiting === '') setImmediate(write);
      waiting += line;
    },
    async flushed() {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, PATIENCE_MILLISECONDS);
      write();
      stream.write('', () => resolve());
      await promise;
      clearTimeout(timer);
    },
  };
}
