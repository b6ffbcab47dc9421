import { type FSWatcher, realpathSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { messageOf } from '#contract/errors.ts';
import type { Clock } from './clock.ts';
import { fileState, isFolder } from './file-state.ts';

export interface WatchOptions {
  readonly clock: Clock;
  readonly onChange: () => void;
  /** Called if files cannot be watched. Changes are then not reported. */
  readonly onTrouble: (message: string) => void;
}

export interface FileWatch {
  /** Watches these files instead of the previous ones. */
  readonly watch: (files: readonly string[]) => void;
  readonly close: () => void;
}

/** Delay, because editors write a file in several steps. */
const SETTLE_MS = 200;

/**
 * Reports when one of the files changes. Watches the folder of each file, because editors and
 * deployments replace files, and the nearest existing parent, because file and folder may not exist
 * yet. For a link, its target is watched too.
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
          // Ignore files that are not watched, such as a log that is written constantly.
          if (event !== 'change' || name === null || ours.has(name)) lookSoon();
        });
        watcher.on('error', lookSoon);
        watchers.push(watcher);
      } catch (error) {
        onTrouble(`Cannot watch ${folder} for changes: ${messageOf(error)}. Reload with a signal instead.`);
      }
    }
    // A nearer parent may have been created just before its parent was watched.
    if (foldersOf(files).join('\n') !== folders.join('\n')) lookSoon();
  };
  function lookSoon(): void {
    cancel ??= clock.after(SETTLE_MS, look);
  }
  function look(): void {
    const before = seen;
    // A folder may have been created, removed or replaced.
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

/** Returns the target of a link, or the path itself if it is not a link or dangling. */
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
