import { renameSync, rmSync, statSync } from 'node:fs';
import { type FileHandle, open, readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isAbandoned, ownerTag } from '#platform/files/temporary.ts';

/** The file that a download writes to until it is complete. */
export interface PartialFile {
  readonly path: string;
  readonly file: FileHandle;
  readonly bytes: number;
}

/**
 * Opens a partial file next to the blob, which only this process writes to. If killed processes of
 * this program left partial files, the largest one is renamed and resumed; renaming is atomic, so
 * only one process can resume it. Partial files of other programs are not changed.
 */
export async function openPartial(blob: string): Promise<PartialFile> {
  const path = `${blob}.${ownerTag()}${SUFFIX}`;
  const [largest, ...others] = await abandoned(blob);
  if (largest !== undefined) {
    for (const { path: other } of others) rmSync(other, { force: true });
    if (tryRename(largest.path, path)) {
      const file = await open(path, 'r+');
      return { path, file, bytes: (await file.stat()).size };
    }
  }
  return { path, file: await open(path, 'wx+'), bytes: 0 };
}

/** Number of bytes that an earlier process has downloaded. */
export const bytesToContinue = async (blob: string): Promise<number> =>
  (await abandoned(blob))[0]?.bytes ?? 0;

const SUFFIX = '.incomplete';

async function abandoned(blob: string): Promise<{ path: string; bytes: number }[]> {
  const prefix = `${basename(blob)}.`;
  const names = await readdir(dirname(blob));
  return names
    .filter((name) => name.startsWith(prefix) && name.endsWith(SUFFIX))
    .map((name) => ({ path: join(dirname(blob), name), tag: name.slice(prefix.length, -SUFFIX.length) }))
    .filter(({ path, tag }) => isAbandoned(path, tag))
    .map(({ path }) => ({ path, bytes: statSync(path, { throwIfNoEntry: false })?.size ?? 0 }))
    .toSorted((one, other) => other.bytes - one.bytes);
}

function tryRename(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch {
    return false;
  }
}
