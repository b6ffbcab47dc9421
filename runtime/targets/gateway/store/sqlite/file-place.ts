import { statSync } from 'node:fs';
import { databaseUnavailable } from '../database-error.ts';

/**
 * Whether the file at the path is still the one that was opened. One that is not could be written all the same, but after the
 * next start nobody would find what is in it.
 */
export interface FilePlace {
  readonly isKept: () => boolean;
  /** Throws if it is not. */
  readonly require: () => void;
}

export function filePlace(path: string): FilePlace {
  const opened = fileAt(path);
  const isKept = (): boolean => fileAt(path) === opened;
  return {
    isKept,
    require() {
      if (!isKept()) throw databaseUnavailable(lost(path));
    },
  };
}

function fileAt(path: string): string | undefined {
  const facts = statSync(path, { bigint: true, throwIfNoEntry: false });
  return facts && `${facts.dev} ${facts.ino}`;
}

const lost = (path: string): Error =>
  new Error(
    `The database file ${path} is not at its place any more: it was removed, moved or replaced while the gateway ran. ` +
      'Put it back, or start the gateway anew.',
  );
