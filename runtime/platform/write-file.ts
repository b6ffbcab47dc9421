import {
  closeSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { explainWriteError } from '../core/write-error.ts';

export interface FileOwner {
  readonly uid: number;
  readonly gid: number;
}

/** Writes a file that appears complete or not at all. */
export function writeFileAtomically(path: string, text: string, mode?: number, owner?: FileOwner): void {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    const fd = openSync(temporary, 'wx', mode ?? 0o644);
    try {
      // What the process masks out of new files is not masked out of a mode that was chosen.
      if (mode !== undefined) fchmodSync(fd, mode);
      // Only root may give files away; whoever else writes one owns it.
      if (owner && process.getuid?.() === 0) fchownSync(fd, owner.uid, owner.gid);
      writeFileSync(fd, text);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw explainWriteError(path, error);
  }
}
