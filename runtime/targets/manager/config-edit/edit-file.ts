import { dirname } from 'node:path';
import { createFolders } from '../../../platform/files/create-folders.ts';
import { withFileLock } from '../../../platform/files/file-lock.ts';
import { findOutputFile } from '../../../platform/files/output-target.ts';
import { writeText } from '../../../platform/files/write-text.ts';
import { type Problem, problemsError } from '../config/problems.ts';
import { readText } from '../../../platform/read-text.ts';

export interface FileKind {
  /** What is wrong with a text of this kind. */
  check(path: string, text: string): readonly Problem[];
  /** For a file that is new; one that is there keeps its own. */
  readonly mode?: number;
  readonly folderMode: number;
}

/** Other programs edit without our lock; after so many times one of them does nothing else. */
const MOST_ATTEMPTS = 10;

/**
 * Edits a file: it changes as a whole or not at all, another's edit in the meantime is kept, and an edit that would break it
 * is refused. Resolves with whether anything changed.
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
      if (now?.whole !== before?.whole && attempts < MOST_ATTEMPTS) continue;
      await writeText(target, edited, kind.mode === undefined ? {} : { mode: kind.mode });
      return true;
    }
  });
}

/** What was wrong before is not the edit's fault: it may be one of several that mend it. */
function refuseDamage(
  path: string,
  { before, after }: { before: string; after: string },
  kind: FileKind,
): void {
  const known = before === '' ? [] : kind.check(path, before).map(({ message }) => message);
  const caused = kind.check(path, after).filter(({ message }) => !known.includes(message));
  if (caused.length > 0) throw problemsError(caused);
}
