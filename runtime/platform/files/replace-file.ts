import { chmodSync, chownSync, type Stats, statSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { explainWriteError } from './write-error.ts';
import type { FileTarget } from './output-target.ts';
import { removeLeftovers, temporaryPath } from './temporary.ts';

/**
 * Permissions of a new file; an existing file keeps its mode. Without `mode`, the process's umask
 * applies.
 */
export interface FileMode {
  readonly mode?: number;
  /** Whether the file is a program: it becomes executable for everyone who can read it. */
  readonly isProgram?: boolean;
}

/**
 * Writes a file atomically: `write` fills a temporary file next to it, which is then renamed. If
 * anything fails before that, the old file is unchanged. Mode and owner are preserved if the system
 * allows it.
 */
export async function replaceFile(
  { path, shown, existing }: FileTarget,
  mode: FileMode,
  write: (file: FileHandle, temporaryPath: string) => Promise<void>,
): Promise<void> {
  const temporary = temporaryPath(path);
  try {
    removeLeftovers(path);
    const file = await open(temporary, 'wx+', mode.mode ?? 0o666);
    try {
      if (existing) takeOwner(temporary, existing);
      const bits = modeOf(existing, mode, (await file.stat()).mode);
      // The incomplete file must not be more accessible than the final one.
      await file.chmod(bits & 0o600);
      await write(file, temporary);
      await file.sync();
      chmodSync(temporary, bits);
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    // Removal can fail for the same reason as the write; the first error is the one to report.
    await rm(temporary, { force: true }).catch(() => {});
    throw explainWriteError(shown, error);
  }
}

function modeOf(existing: Stats | undefined, { mode, isProgram = false }: FileMode, masked: number): number {
  const bits = (existing?.mode ?? mode ?? masked) & 0o7777;
  return isProgram ? bits | ((bits & 0o444) >> 2) : bits;
}

/**
 * Copies the owner of the existing file. Only root can change the user; other users can change the
 * group to one of their own.
 */
export function takeOwner(temporary: string, existing: Stats): void {
  const made = statSync(temporary);
  for (const [uid, gid] of [
    [existing.uid, existing.gid],
    [made.uid, existing.gid],
  ] as const) {
    if (uid === made.uid && gid === made.gid) return;
    try {
      chownSync(temporary, uid, gid);
      return;
    } catch {
      // Without permission, the owner stays as it is.
    }
  }
}
