import type { Writable } from 'node:stream';

/**
 * Log output that drops lines if its reader is slow or gone, or if the disk is full. Requests must
 * never wait for the log or fail because of it.
 */
export interface LogLines {
  readonly write: (line: string) => void;
  /** Resolves when everything has been written, or cannot be written soon. */
  readonly flushed: () => Promise<void>;
}

/** Maximum number of bytes buffered for a stalled reader. */
const MAX_BUFFERED_BYTES = 1_048_576;
const PATIENCE_MILLISECONDS = 1000;

export function openLogLines(stream: Writable): LogLines {
  // An `error` event without a listener would end the process.
  stream.on('error', () => {});
  // Under load, one turn of the event loop produces many lines, and each write costs as much as a
  // request.
  let waiting = '';
  const write = (): void => {
    const text = waiting;
    waiting = '';
    if (text !== '') stream.write(text);
  };
  return {
    write(line) {
      if (stream.writableLength + waiting.length >= MAX_BUFFERED_BYTES) return;
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
