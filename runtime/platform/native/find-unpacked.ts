import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { NativeList } from '../../contract/native.ts';

/** The folder below `root` where the files of `list` lie unpacked and complete, if it is there. */
export function findUnpacked(root: string, list: NativeList): string | undefined {
  const folder = unpackedFolder(root, list);
  try {
    const stat = lstatSync(folder);
    // What lies in it will be executed, so it must be ours alone.
    if (!stat.isDirectory()) return undefined;
    if (process.getuid && (stat.uid !== process.getuid() || (stat.mode & 0o022) !== 0)) return undefined;
    const complete = list.files.every((file) => {
      const found = lstatSync(join(folder, file.name));
      return found.isFile() && found.size === file.bytes;
    });
    return complete ? folder : undefined;
  } catch {
    return undefined;
  }
}

export const unpackedFolder = (root: string, list: NativeList): string =>
  join(root, 'native', list.key.slice(0, 32));
