import type { Logger } from '#serve/log.ts';

/** The process's streams, and its stop signal. */
export interface StdioProcess {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** Writes a log line. Secrets must already be redacted. */
  readonly write: (line: string) => void;
}
