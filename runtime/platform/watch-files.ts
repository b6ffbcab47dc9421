import { type FSWatcher, realpathSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { messageOf } from '../contract/errors.ts';
import type { Clock } from './clock.ts';
import { fileState, isFolder } from './file-state.ts';

export interface WatchOptions {
  readonly clock: Clock;
  readonly onChange: () => void;
  /** Told when files cannot be watched; nothing else happens then. */
  readonly onTrouble: (message: string) => void;
}

export interface FileWatch {
  /** Watches these from now on, instead of those before. */
  readonly watch: (files: readonly string[]) => void;
  readonly close: () => void;
}

/** Editors write a file in several steps. */
const SETTLE_MS = 200;

/**
 * Tells when one of the files has become another: by its folder, because editors and deployments put a new file in the place
 * of the old one, and by the nearest one there is, because the file and its folder need not be there yet. A link is watched
 * where it leads to as well.
 */
export function watchFiles({ clock, onChange, onTrouble }: WatchOptions): FileWatch {
  let files: readonly string[] = [];
  let seen = '';
  let watchers: FSWatcher[] = [];
  let cancel: (() => void) | undefined;

  const stop = (): void => {
    cancel?.();
    cancel = undefined;
    for (const watcher of watchers) watcher.close();
    watchers = [];
  };
  const start = (): void => {
    const folders = foldersOf(files);
    const ours = new Set([...files, ...files.map(targetOf), ...folders].map((path) => basename(path)));
    for (const folder of new Set(folders)) {
      try {
        const watcher = watch(folder, { persistent: false }, (event, name) => {
          // Another file that is written to, as a log is all the time, changes none of them.
          if (event !== 'change' || name === null || ours.has(name)) lookSoon();
        });
        watcher.on('error', lookSoon);
        watchers.push(watcher);
      } catch (error) {
        onTrouble(`Cannot watch ${folder} for changes: ${messageOf(error)}. Reload with a signal instead.`);
      }
    }
    // One that is nearer may have come just before its parent was watched.
    if (foldersOf(files).join('\n') !== folders.join('\n')) lookSoon();
  };
  function lookSoon(): void {
    cancel ??= clock.after(SETTLE_MS, look);
  }
  function look(): void {
    const before = seen;
    // A folder may have come, gone or been replaced.
    stop();
    start();
    seen = describe(files);
    if (seen !== before) onChange();
  }
  return {
    watch(next) {
      stop();
      files = next;
      start();
      seen = describe(files);
    },
    close: stop,
  };
}

const describe = (files: readonly string[]): string => files.map(fileState).join('\n');

const foldersOf = (files: readonly string[]): string[] =>
  files.flatMap((file) => [file, targetOf(file)]).map(nearestFolder);

/** What a link leads to; the file itself if it is none, or leads nowhere. */
function targetOf(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

function nearestFolder(file: string): string {
  let folder = dirname(file);
  while (!isFolder(folder) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}
