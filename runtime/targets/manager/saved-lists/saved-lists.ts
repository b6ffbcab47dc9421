import { dirname, join } from 'node:path';
import { messageOf } from '#contract/errors.ts';
import { errorCode } from '#core/values/error-code.ts';
import { createFolders } from '#platform/files/create-folders.ts';
import { readOwnFile, removeUntrusted, removeUnused, requireOwnFolder } from '#platform/files/own-files.ts';
import { writeText } from '#platform/files/write-text.ts';
import type { Logger } from '#serve/log.ts';
import type { ConfigPaths } from '../config/config-paths.ts';
import { parseSavedCopy, type SavedCopy } from './saved-copy.ts';

/** The saved lists of lazy servers, one file per server, which several managers can share. */
export interface SavedLists {
  /** Returns a server's lists; undefined if there are none, or if the file is damaged or not trustworthy. */
  load(server: string, identity: string): Promise<SavedCopy | undefined>;
  /** Replaces the file. A failure is logged, and the lists are then only in memory. */
  save(server: string, copy: SavedCopy): Promise<void>;
}

/** Returns the folder of the saved lists, next to the secrets file. */
export const savedListsFolder = ({ runtime }: ConfigPaths): string => join(dirname(runtime), 'saved-lists');

/** Maximum size of a file. Larger lists are only kept in memory. */
const MAX_FILE_BYTES = 16 * 1_048_576;
const FILE = /^[\da-f]{64}\.json$/;

export function openSavedLists(folder: string, log: Logger): SavedLists {
  /** Whether saving fails, which is logged once. */
  let isFailing = false;
  let opened: Promise<boolean> | undefined;
  const pathOf = (identity: string): string => join(folder, `${identity}.json`);

  /** Whether there are files that can be used. A problem with the folder is logged once, not for each server. */
  async function openFolder(): Promise<boolean> {
    try {
      await requireOwnFolder(folder);
      await removeUnused(folder, FILE);
      return true;
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') log.warn({ folder }, `saved lists are ignored: ${messageOf(error)}`);
      return false;
    }
  }

  return {
    async load(server, identity) {
      if (!(await (opened ??= openFolder()))) return undefined;
      const path = pathOf(identity);
      try {
        const copy = parseSavedCopy((await readOwnFile(path, MAX_FILE_BYTES)).toString(), identity);
        if (copy) return copy;
        throw new Error('the file is damaged');
      } catch (error) {
        if (errorCode(error) === 'ENOENT') return undefined;
        log.warn(
          { server, file: path },
          `saved lists are ignored, and will be read from the server again: ${messageOf(error)}`,
        );
        return undefined;
      }
    },
    async save(server, copy) {
      try {
        const written = JSON.stringify(copy);
        if (Buffer.byteLength(written) > MAX_FILE_BYTES) {
          throw new Error(`the lists are larger than ${MAX_FILE_BYTES / 1_048_576} MiB`);
        }
        createFolders(folder, 0o700);
        await requireOwnFolder(folder);
        const path = pathOf(copy.identity);
        await removeUntrusted(path);
        await writeText(path, written, { mode: 0o600 });
        opened = Promise.resolve(true);
        isFailing = false;
      } catch (error) {
        if (isFailing) return;
        isFailing = true;
        log.warn(
          { server, folder },
          `cannot save lists, which are lost when the manager stops: ${messageOf(error)}`,
        );
      }
    },
  };
}
