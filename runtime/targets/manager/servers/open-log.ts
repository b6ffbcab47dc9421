import { openLineFile, type Rotation } from '../../../platform/line-file.ts';
import type { LogSink } from '../../../serve/program/log-sink.ts';

/** Opens the log file at a path; without one, stderr, which its reader rotates. */
export async function openLog(
  stderr: Pick<LogSink, 'write'>,
  path: string | undefined,
  rotation?: Rotation,
): Promise<LogSink> {
  if (path === undefined) return { write: stderr.write, reopen() {}, close: () => Promise.resolve() };
  const file = await openLineFile(path, (trouble) => stderr.write(`${trouble}\n`), rotation);
  return {
    write: (line) => file.write(line.endsWith('\n') ? line.slice(0, -1) : line),
    reopen: file.reopen,
    close: file.close,
  };
}
