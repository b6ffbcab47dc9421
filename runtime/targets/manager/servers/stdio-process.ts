import type { Logger } from '#serve/log.ts';

/** The process's streams, and the signal that ends it. */
export interface StdioProcess {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** Writes a line of the log that is already redacted. */
  readonly write: (line: string) => void;
}
