import {
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { configError } from '#contract/errors.ts';
import { explainWriteError } from '#platform/files/write-error.ts';
import { type FileLock, tryLock } from '#platform/files/file-lock.ts';
import type { FileTarget } from '#platform/files/output-target.ts';
import { takeOwner } from '#platform/files/replace-file.ts';

/**
 * A file of result lines that a run can continue after an earlier run was killed. The lines are in
 * `<file>.partial`, and a file next to it identifies their origin.
 */
export interface ResumableOutput {
  /** Number of lines that already exist. */
  readonly done: number;
  /** How many of these lines are errors. */
  readonly failed: number;
  write(lines: string): void;
  /** Renames the partial file to its final name. */
  finish(): void;
  /** Releases the file. An unfinished output can then be resumed. */
  close(): void;
}

/** Names of the files that exist next to an output while it is being written. */
export const partialFiles = (path: string): { partial: string; origin: string } => ({
  partial: `${path}.partial`,
  origin: `${path}.partial.origin`,
});

/**
 * Opens the output. `origin` identifies the model, the input and the options that produce the
 * lines. Only a partial file with the same origin is resumed.
 */
export function openResumableOutput(target: FileTarget, origin: string): ResumableOutput {
  const files = partialFiles(target.path);
  // Builds lock their outputs in the same way.
  const lock = tryLock(target.path);
  if (lock === undefined) {
    throw configError(
      `Another process is writing to ${target.shown}. Wait until it finishes, or choose another --output.`,
    );
  }
  try {
    return openPartial(target, files, origin, lock);
  } catch (error) {
    lock.release();
    throw explainWriteError(target.shown, error);
  }
}

function openPartial(
  { path, shown, existing }: FileTarget,
  files: ReturnType<typeof partialFiles>,
  origin: string,
  lock: FileLock,
): ResumableOutput {
  const { partial } = files;
  const resumes =
    existsSync(partial) && existsSync(files.origin) && readFileSync(files.origin, 'utf8') === origin;
  if (!resumes) {
    rmSync(partial, { force: true });
    writeFileSync(files.origin, origin);
  }
  const fd = openSync(partial, resumes ? 'r+' : 'w+');
  const { lines, bytes, failed } = countLines(fd);
  ftruncateSync(fd, bytes);
  let at = bytes;
  const explained = (use: () => void): void => {
    try {
      use();
    } catch (error) {
      throw explainWriteError(shown, error);
    }
  };
  return {
    done: lines,
    failed,
    write: (text) =>
      explained(() => {
        const buffer = Buffer.from(text);
        for (let written = 0; written < buffer.length;) {
          written += writeSync(fd, buffer, written, buffer.length - written, at + written);
        }
        at += buffer.length;
      }),
    finish: () =>
      explained(() => {
        fsyncSync(fd);
        if (existing) {
          takeOwner(partial, existing);
          fchmodSync(fd, existing.mode & 0o7777);
        }
        renameSync(partial, path);
        rmSync(files.origin, { force: true });
      }),
    close() {
      closeSync(fd);
      lock.release();
    },
  };
}

/**
 * Counts the complete lines, their bytes, and the lines with errors. A line that is incomplete
 * because the process was killed does not count.
 */
function countLines(fd: number): { lines: number; bytes: number; failed: number } {
  const buffer = Buffer.alloc(1 << 20);
  let [lines, bytes, failed] = [0, 0, 0];
  let rest = '';
  for (;;) {
    const count = readSync(fd, buffer, 0, buffer.length, bytes + rest.length);
    if (count === 0) return { lines, bytes, failed };
    // The encoding latin1 maps each byte to one character.
    const text = rest + buffer.toString('latin1', 0, count);
    const end = text.lastIndexOf('\n') + 1;
    const whole = text.slice(0, end);
    lines += whole.split('\n').length - 1;
    failed += whole.match(FAILED_LINE)?.length ?? 0;
    bytes += end;
    rest = text.slice(end);
  }
}

/** The line of a failed text. */
const FAILED_LINE = /^\{"index":\d+,"error":/gm;
