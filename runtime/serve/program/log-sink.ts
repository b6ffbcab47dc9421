/** The destination of a log. */
export interface LogSink {
  /** Takes a line with its line break. */
  readonly write: (line: string) => void;
  /** Continues in a new file after the old one was renamed. */
  readonly reopen: () => void;
  readonly close: () => Promise<void>;
}
