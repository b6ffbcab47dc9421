import { type FileHandle, open, stat, rename, rm } from 'node:fs/promises';
import { messageOf } from '#contract/errors.ts';
import { explainWriteError } from './files/write-error.ts';

/**
 * An append-only file of lines. Writing never waits and never fails; lines are dropped if the disk
 * is full.
 */
export interface LineFile {
  readonly write: (line: string) => void;
  /** Reopens the path, because the file may have been moved away. */
  readonly reopen: () => void;
  readonly lost: () => number;
  /** Why the last write failed; undefined after a successful one. */
  readonly problem: () => string | undefined;
  /** Writes the lines that were kept after a failure. Resolves after the attempt. */
  readonly retry: () => Promise<void>;
  /** Resolves when everything that can be written has been written. */
  readonly close: () => Promise<void>;
}

export interface Rotation {
  /** Maximum size; the file is rotated before a line would exceed it. */
  readonly maxBytes: number;
  /** Number of old files to keep: `<path>.1` is the newest. */
  readonly keep: number;
}

export interface LineFileOptions {
  readonly rotation?: Rotation | undefined;
  /**
   * Whether lines that cannot be written are kept for `retry`, up to the maximum of the buffer. A problem is then
   * already reported when the buffer is half full, so that the writer can stop before lines are dropped.
   */
  readonly keepsLines?: boolean | undefined;
}

/** Maximum number of characters buffered for a slow disk. */
const MAX_BUFFERED_CHARACTERS = 8 * 1_048_576;
const TOO_SLOW = 'the disk is too slow';

/** Opens the file. `onTrouble` is called when a write first fails, and again after each recovery. */
export async function openLineFile(
  path: string,
  onTrouble: (message: string) => void,
  { rotation, keepsLines = false }: LineFileOptions = {},
): Promise<LineFile> {
  let { file, size, isFile } = await openAtEnd(path);
  let waiting: string[] = [];
  let waitingCharacters = 0;
  let mustReopen = false;
  let lost = 0;
  let problem: string | undefined;
  let canRotate = true;
  /** Whether the last line was written partially. */
  let broken = false;
  let work: Promise<void> | undefined;

  const lose = (lines: number, why: string): void => {
    lost += lines;
    const consequence = keepsLines ? 'log lines are kept in memory' : 'log lines are lost';
    if (problem === undefined) onTrouble(`cannot write ${path}, ${consequence}: ${why}`);
    problem = why;
  };
  /** Handles lines that were not written. */
  const fail = (lines: readonly string[], why: string): void => {
    if (keepsLines) {
      waiting = [...lines, ...waiting];
      for (const line of lines) waitingCharacters += line.length;
    }
    lose(keepsLines ? 0 : lines.length, why);
  };
  const take = (): string[] => {
    const lines = waiting;
    waiting = [];
    waitingCharacters = 0;
    return lines;
  };
  async function reopen(): Promise<void> {
    mustReopen = false;
    try {
      const next = await openAtEnd(path);
      await file.close();
      ({ file, size, isFile } = next);
      broken = false;
    } catch (error) {
      lose(0, messageOf(error));
    }
  }
  async function rotate(keep: number): Promise<boolean> {
    try {
      const [own, there] = await Promise.all([file.stat(), stat(path).catch(() => undefined)]);
      // Another program may already have moved the file away.
      if (there?.ino === own.ino && there.dev === own.dev) await rotateFile(path, keep);
      canRotate = true;
      await reopen();
    } catch (error) {
      if (canRotate) onTrouble(`cannot rotate ${path}, which exceeds its size limit: ${messageOf(error)}`);
      canRotate = false;
    }
    return canRotate;
  }
  async function writeRotating(lines: readonly string[], { maxBytes, keep }: Rotation): Promise<void> {
    let part: string[] = [];
    let bytes = 0;
    // Devices and pipes do not grow.
    let canRotate = isFile;
    for (const line of lines) {
      const more = Buffer.byteLength(line) + 1;
      if (canRotate && size + bytes > 0 && size + bytes + more > maxBytes) {
        if (part.length > 0) await writeAll(part);
        part = [];
        bytes = 0;
        canRotate = await rotate(keep);
      }
      part.push(line);
      bytes += more;
    }
    await writeAll(part);
  }
  async function writeAll(lines: readonly string[]): Promise<void> {
    const text = `${lines.join('\n')}\n`;
    const bytes = Buffer.from(broken ? `\n${text}` : text);
    let written = 0;
    try {
      while (written < bytes.length) {
        const { bytesWritten } = await file.write(bytes, written);
        written += bytesWritten;
        size += bytesWritten;
      }
      broken = false;
      problem = undefined;
    } catch (error) {
      const complete =
        bytes.subarray(0, written).toString('latin1').split('\n').length - 1 - (broken ? 1 : 0);
      broken = written > 0 && bytes[written - 1] !== LINE_BREAK;
      fail(lines.slice(Math.max(0, complete)), messageOf(error));
    }
  }
  async function run(): Promise<void> {
    while (mustReopen || waiting.length > 0) {
      if (mustReopen) await reopen();
      const lines = take();
      if (lines.length > 0) await (rotation ? writeRotating(lines, rotation) : writeAll(lines));
      // Kept lines wait for the next line or `retry`.
      if (keepsLines && problem !== undefined) break;
    }
    work = undefined;
  }

  return {
    write(line) {
      if (waitingCharacters + line.length > MAX_BUFFERED_CHARACTERS) {
        lose(1, problem ?? TOO_SLOW);
        return;
      }
      waiting.push(line);
      waitingCharacters += line.length;
      work ??= run();
    },
    reopen() {
      mustReopen = true;
      work ??= run();
    },
    lost: () => lost,
    problem: () =>
      problem ?? (keepsLines && waitingCharacters > MAX_BUFFERED_CHARACTERS / 2 ? TOO_SLOW : undefined),
    async retry() {
      if (waiting.length > 0) work ??= run();
      await work;
    },
    async close() {
      await work;
      if (waiting.length > 0) await run();
      lost += waiting.length;
      await file.close();
    },
  };
}

const LINE_BREAK = 0x0a;

interface OpenFile {
  readonly file: FileHandle;
  readonly size: number;
  readonly isFile: boolean;
}

/** Opens a file that only its owner can read. */
async function openAtEnd(path: string): Promise<OpenFile> {
  try {
    const file = await open(path, 'a', 0o600);
    const found = await file.stat();
    return { file, size: found.size, isFile: found.isFile() };
  } catch (error) {
    throw explainWriteError(path, error);
  }
}

/** Renames a file to `<path>.1`, that file to `<path>.2` and so on, and deletes old files beyond `keep`. */
async function rotateFile(path: string, keep: number): Promise<void> {
  const old = (number: number): string => (number === 0 ? path : `${path}.${number}`);
  await rm(old(keep), { force: true });
  for (let number = keep - 1; number >= 0; number -= 1) {
    await rename(old(number), old(number + 1)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }
}
