import { statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createFolders } from '#platform/files/create-folders.ts';

/** Returns the file for `--out-dir`: the path itself, or a file named after the executable if the path is a folder. */
export function outputFile(path: string, modelPath: string, isLines: boolean): string {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  if (!isFolder && !/[/\\]$/.test(path)) return path;
  if (!isFolder) createFolders(path, 0o777);
  const stem = basename(modelPath)
    .replace(/\.exe$/i, '')
    .replace(/\.encoder$/, '');
  return join(path, `${stem}.${isLines ? 'jsonl' : 'json'}`);
}
