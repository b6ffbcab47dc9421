import { openLogLines } from '../../../platform/log-lines.ts';
import { openLineFile, type Rotation } from '../../../platform/line-file.ts';

/** Where lines of log go. */
export interface LogSink {
  /** Takes a line with its line break. */
  readonly write: (line: string) => void;
  /** After the file was moved away, goes on in a new one. */
  readonly reopen: () => void;
  readonly close: () => Promise<void>;
}

/** A file, or stderr, which is for its reader to rotate. */
export async function openLog(path: string | undefined, rotation?: Rotation): Promise<LogSink> {
  const stderr = openLogLines(process.stderr);
  if (path === undefined) return { write: stderr.write, reopen() {}, close: stderr.flushed };
  const file = await openLineFile(path, (trouble) => stderr.write(`${trouble}\n`), rotation);
  return {
    write: (line) => file.write(line.endsWith('\n') ? line.slice(0, -1) : line),
    reopen: file.reopen,
    close: file.close,
  };
}
