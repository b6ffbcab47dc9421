import { dirname } from 'node:path';
import { createFolders } from '#platform/files/create-folders.ts';
import { withFileLock } from '#platform/files/file-lock.ts';
import { findOutputFile } from '#platform/files/output-target.ts';
import { writeText } from '#platform/files/write-text.ts';
import { type Problem, problemsError } from '../config/problems.ts';
import { readText } from '#platform/read-text.ts';

export interface FileKind {
  /** Returns the problems in a text. */
  check(path: string, text: string): readonly Problem[];
  /** Mode of a new file; an existing file keeps its mode. */
  readonly mode?: number;
  readonly folderMode: number;
}

/** Maximum number of attempts if other programs that ignore the lock change the file in the meantime. */
const MAX_ATTEMPTS = 10;

/**
 * Edits a file atomically. Concurrent edits by others are preserved, and an edit that would leave the file
 * invalid is rejected. Resolves with whether the file changed.
 */
export async function editFile(
  path: string,
  edit: (text: string) => string | Promise<string>,
  kind: FileKind,
): Promise<boolean> {
  const target = findOutputFile(path).path;
  createFolders(dirname(target), kind.folderMode);
  return await withFileLock(target, async () => {
    for (let attempts = 1; ; attempts += 1) {
      const before = await readText(target);
      const text = before?.whole ?? '';
      const edited = await edit(text);
      if (before && edited === text) return false;
      refuseDamage(path, { before: text, after: edited }, kind);
      const now = await readText(target);
      if (now?.whole !== before?.whole && attempts < MAX_ATTEMPTS) continue;
      await writeText(target, edited, kind.mode === undefined ? {} : { mode: kind.mode });
      return true;
    }
  });
}

/**
 * Only new problems are rejected, because an edit to an invalid file can be one of several edits that fix it.
 */
export function refuseDamage(
  path: string,
  { before, after }: { before: string; after: string },
  kind: FileKind,
): void {
  const known = before === '' ? [] : kind.check(path, before).map(({ message }) => message);
  const caused = kind.check(path, after).filter(({ message }) => !known.includes(message));
  if (caused.length > 0) throw problemsError(caused);
}
