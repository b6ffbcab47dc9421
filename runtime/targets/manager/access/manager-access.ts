import { timingSafeEqual } from 'node:crypto';
import { AppError, messageOf } from '#contract/errors.ts';
import { createTokenBucket, type TokenBucket, parseRate } from './token-bucket.ts';
import { type Access, digestOf, requireBearerToken, unknownKey, readBearerToken } from '#serve/access.ts';
import { ANYONE, type ToolCaller } from './caller.ts';
import { createCallerGroups, type CallerGroups } from './groups.ts';
import { keyCaller } from './key-caller.ts';
import { type KeyRecord, stateOf, readKeyFile } from './key-file.ts';
import type { TokenAccess } from './token-access.ts';
import { fileState } from '#platform/file-state.ts';
import type { Logger } from '#serve/log.ts';

export interface ManagerAccess extends Access {
  readonly check: (authorization: string | null | undefined) => ToolCaller;
  /** Whether calls require a key or an access token. */
  readonly hasKeys: () => boolean;
}

export interface KeySource {
  /**
   * Returns the current keys; the list keeps its identity until they change. Undefined if a keys file has
   * never existed.
   */
  readonly keys: () => readonly KeyRecord[] | undefined;
}

/** A key with its permissions and rate limit state. */
interface KeyEntry {
  readonly record: KeyRecord;
  readonly digest: Buffer;
  /** The permissions granted by the record. */
  readonly caller: ToolCaller;
  /** The caller for requests with this key. */
  readonly live: ToolCaller;
  readonly bucket: TokenBucket | undefined;
}

/**
 * Checks requests against the keys in a file, and access tokens if an issuer is configured. Without either,
 * all requests are allowed.
 */
export function createManagerAccess(
  source: KeySource,
  now: () => number = Date.now,
  tokens?: Pick<TokenAccess, 'accepts' | 'signIn'>,
  groups: Pick<CallerGroups, 'allow'> = createCallerGroups(),
): ManagerAccess {
  let records: readonly KeyRecord[] | undefined;
  let entries: readonly KeyEntry[] = [];

  const current = (): readonly KeyEntry[] => {
    const latest = source.keys();
    if (latest !== records) {
      const before = entries;
      records = latest;
      entries = (latest ?? []).map((record) => {
        const caller = keyCaller(record);
        const entry = { ...entryOf(record, before), caller };
        return { ...entry, live: { ...liveCaller(record, caller), countCall: rateCounter(entry) } };
      });
    }
    return entries;
  };
  /**
   * Returns a caller that looks up the key's current permissions at each check, because streams stay open for
   * hours.
   */
  const liveCaller = ({ hash }: KeyRecord, caller: ToolCaller): ToolCaller => {
    let seen: readonly KeyEntry[] | undefined;
    let entry: KeyEntry | undefined;
    const latest = (): ToolCaller | undefined => {
      const all = current();
      if (all !== seen) {
        entry = all.find(({ record }) => record.hash === hash);
        seen = all;
      }
      return entry && isActive(entry, now()) ? entry.caller : undefined;
    };
    /** Whether the key allows an item and, if the key is limited to groups, one of them contains it. */
    const allows = (check: (one: Pick<ToolCaller, 'canUse' | 'canRead'>) => boolean): boolean => {
      const now = latest();
      return now !== undefined && check(now) && (now.groups === undefined || groups.allow(now.groups, check));
    };
    return {
      ...caller,
      user: userOfKey(hash),
      userId: caller.name,
      canUse: (...item) => allows((one) => one.canUse(...item)),
      canRead: (...item) => allows((one) => one.canRead(...item)),
    };
  };
  const isOpen = (): boolean => source.keys() === undefined && tokens === undefined;
  const anyone: ToolCaller = { ...ANYONE, canUse: isOpen, canRead: isOpen };

  /** Returns the function that takes a token from the bucket of a key; undefined if it has no rate limit. */
  const rateCounter = ({ record, bucket }: Pick<KeyEntry, 'record' | 'bucket'>): ToolCaller['countCall'] =>
    bucket &&
    (() => {
      const wait = bucket.take(now());
      if (wait > 0) throw rateLimitError(record, wait);
    });

  return {
    hasKeys: () => !isOpen(),
    checkToken(authorization) {
      const token = tokens && readBearerToken(authorization);
      return token !== undefined && tokens?.accepts(token) === true ? tokens.signIn(token) : undefined;
    },
    check(authorization) {
      const all = current();
      if (isOpen()) return anyone;
      const received = digestOf(requireBearerToken(authorization));
      // All keys are compared, so that the response time does not depend on which one matches.
      const entry = all[all.map(({ digest }) => timingSafeEqual(digest, received)).indexOf(true)];
      if (!entry) throw unknownKey();
      const time = now();
      const state = stateOf(entry.record, time);
      if (state !== 'active') throw new AppError('UnauthorizedError', `The API key is ${state}.`);
      entry.live.countCall?.();
      return entry.live;
    },
  };
}

/** Returns the identity of a key's user. */
export const userOfKey = (hash: string): string => `key ${hash}`;

const isActive = ({ record }: KeyEntry, now: number): boolean => stateOf(record, now) === 'active';

/**
 * The part of an entry that does not depend on permissions. A known key keeps its bucket, so that a reload
 * does not reset its rate limit.
 */
function entryOf(
  record: KeyRecord,
  before: readonly KeyEntry[],
): Pick<KeyEntry, 'record' | 'digest' | 'bucket'> {
  const known = before.find(
    (entry) => entry.record.hash === record.hash && entry.record.rate === record.rate,
  );
  const rate = record.rate === undefined ? undefined : parseRate(record.rate);
  return {
    record,
    digest: Buffer.from(record.hash, 'hex'),
    bucket: known?.bucket ?? (rate && createTokenBucket(rate)),
  };
}

function rateLimitError({ name, rate = '' }: KeyRecord, milliseconds: number): AppError {
  const retryAfterSeconds = Math.ceil(milliseconds / 1000);
  return new AppError(
    'OverloadedError',
    `The key ${JSON.stringify(name)} exceeded its rate limit of ${rate}. Retry in ${retryAfterSeconds} s.`,
    { retryAfterSeconds },
  );
}

/** Minimum interval between checks of the file. A revoked key is accepted for at most this long. */
const CHECK_INTERVAL_MS = 1000;

interface WatchedKeysOptions {
  readonly log: Logger;
  readonly now?: (() => number) | undefined;
}

/**
 * Reads the keys from a file, and rereads them whenever it changes. While a changed file is invalid, the
 * previous keys stay valid. After the file is deleted, no key is valid, but calls still require one. Throws a
 * ConfigError if the file is initially invalid.
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
