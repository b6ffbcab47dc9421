import {
  closeSync,
  existsSync,
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
import { explainWriteError } from '../../../core/write-error.ts';

/** A file of result lines that a killed run leaves resumable: `<file>.partial`, and beside it what made it. */
export interface ResumableOutput {
  /** Lines that are there already. */
  readonly done: number;
  write(lines: string): void;
  /** Makes the file appear under its own name. */
  finish(): void;
}

/** `origin` names what makes the lines (model, input, options): only a partial file of the same origin is continued. */
export function openResumableOutput(path: string, origin: string): ResumableOutput {
  const partial = `${path}.partial`;
  const originFile = `${path}.partial.origin`;
  try {
    const resumes =
      existsSync(partial) && existsSync(originFile) && readFileSync(originFile, 'utf8') === origin;
    if (!resumes) {
      rmSync(partial, { force: true });
      writeFileSync(originFile, origin);
    }
    const fd = openSync(partial, resumes ? 'r+' : 'w+');
    const { lines, bytes } = countLines(fd);
    ftruncateSync(fd, bytes);
    let at = bytes;
    return {
      done: lines,
      write(text) {
        const buffer = Buffer.from(text);
        for (let written = 0; written < buffer.length;) {
          written += writeSync(fd, buffer, written, buffer.length - written, at + written);
        }
        at += buffer.length;
      },
      finish() {
        fsyncSync(fd);
        closeSync(fd);
        renameSync(partial, path);
        rmSync(originFile, { force: true });
      },
    };
  } catch (error) {
    throw explainWriteError(path, error);
  }
}

/** Whole lines and the bytes they take; what a kill cut in half does not count. */
function countLines(fd: number): { lines: number; bytes: number } {
  const buffer = Buffer.alloc(1 << 20);
  let lines = 0;
  let bytes = 0;
  for (let at = 0; ;) {
    const count = readSync(fd, buffer, 0, buffer.length, at);
    if (count === 0) return { lines, bytes };
    for (let end = buffer.indexOf(10); end >= 0 && end < count; end = buffer.indexOf(10, end + 1)) {
      lines += 1;
      bytes = at + end + 1;
    }
    at += count;
  }
}
