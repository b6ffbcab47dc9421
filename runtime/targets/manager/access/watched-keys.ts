import { messageOf } from '../../../contract/errors.ts';
import { fileState } from '../../../platform/file-state.ts';
import type { Logger } from '../../../serve/log.ts';
import { readKeyFile } from './key-file.ts';
import type { KeyRecord } from './key-record.ts';
import type { KeySource } from './manager-access.ts';

/** Looked at no more often than this: a key that was revoked is good for one more second at most. */
const LOOK_EVERY_MS = 1000;

export interface WatchedKeysOptions {
  readonly log: Logger;
  readonly now?: (() => number) | undefined;
}

/**
 * The keys of a file, read again when it has changed. A file that is broken, or gone, does not open the server: what was
 * broken counts as it was before, and once there was a file, calls need a key. Throws a ConfigError if it is broken now.
 */
export function watchedKeys(file: string, { log, now = Date.now }: WatchedKeysOptions): KeySource {
  let seen = fileState(file);
  let keys = readKeyFile(file);
  let lookedAt = now();

  return {
    keys() {
      const time = now();
      if (Math.abs(time - lookedAt) < LOOK_EVERY_MS) return keys;
      lookedAt = time;
      const found = fileState(file);
      if (found === seen) return keys;
      seen = found;
      keys = readAgain(file, keys, log);
      return keys;
    },
  };
}

function readAgain(
  file: string,
  before: readonly KeyRecord[] | undefined,
  log: Logger,
): KeyRecord[] | undefined {
  try {
    const found = readKeyFile(file) ?? (before && []);
    log.info({ file, keys: found?.length ?? 0 }, 'API keys read again');
    return found;
  } catch (error) {
    log.error({ file, reason: messageOf(error) }, 'API keys stay as they were');
    return before && [...before];
  }
}
