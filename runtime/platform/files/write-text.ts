import { closeSync, constants, openSync } from 'node:fs';
import { explainWriteError } from './write-error.ts';
import { OutputClosedError, writeAll } from '../stdio.ts';
import { findOutput, type StreamTarget } from './output-target.ts';
import { type FileMode, replaceFile } from './replace-file.ts';

/** Writes a text to a path: files are written atomically, devices and pipes in place. */
export async function writeText(path: string, text: string, mode: FileMode = {}): Promise<void> {
  const target = findOutput(path);
  if (target.kind === 'file') {
    await replaceFile(target, mode, async (file) => await file.writeFile(text));
    return;
  }
  const stream = openStream(target);
  try {
    stream.write(text);
  } finally {
    stream.close();
  }
}

export interface OpenStream {
  write(text: string): void;
  close(): void;
}

/** Opens a device or a pipe for writing; opening a named pipe waits for its reader. */
export function openStream({ shown, descriptor }: StreamTarget): OpenStream {
  const explained = <Result>(use: () => Result): Result => {
    try {
      return use();
    } catch (error) {
      throw error instanceof OutputClosedError ? error : explainWriteError(shown, error);
    }
  };
  const fd = descriptor ?? explained(() => openSync(shown, constants.O_WRONLY | constants.O_NOCTTY));
  return {
    write: (text) => explained(() => writeAll(fd, text)),
    close: () => {
      if (descriptor === undefined) closeSync(fd);
    },
  };
}
