import { messageOf } from '#contract/errors.ts';
import { fileState } from '#platform/file-state.ts';
import type { Logger } from '#serve/log.ts';
import { readKeyFile } from './key-file.ts';
import type { KeyRecord } from './key-record.ts';
import type { KeySource } from './manager-access.ts';

/** Minimum time between checks of the file. A revoked key is accepted for at most this time. */
const CHECK_INTERVAL_MS = 1000;

export interface WatchedKeysOptions {
  readonly log: Logger;
  readonly now?: (() => number) | undefined;
}

/**
 * Reads the keys of a file, and again whenever it changes. While a changed file is invalid, the previous keys apply; after the
 * file is deleted, no key is valid, but calls still require one. Throws a ConfigError if the file is invalid at the start.
 */
export function watchedKeys(file: string, { log, now = Date.now }: WatchedKeysOptions): KeySource {
  let seen = fileState(file);
  let keys = readKeyFile(file);
  let checkedAt = now();

  return {
    keys() {
      const time = now();
      if (Math.abs(time - checkedAt) < CHECK_INTERVAL_MS) return keys;
      checkedAt = time;
      const found = fileState(file);
      if (found === seen) return keys;
      seen = found;
      keys = reload(file, keys, log);
      return keys;
    },
  };
}

function reload(
  file: string,
  before: readonly KeyRecord[] | undefined,
  log: Logger,
): KeyRecord[] | undefined {
  try {
    const found = readKeyFile(file) ?? (before && []);
    log.info({ file, keys: found?.length ?? 0 }, 'API keys reloaded');
    return found;
  } catch (error) {
    log.error({ file, reason: messageOf(error) }, 'API keys not reloaded');
    return before && [...before];
  }
}
