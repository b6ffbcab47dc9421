import { timingSafeEqual } from 'node:crypto';
import { AppError } from '../../../contract/errors.ts';
import { createTokenBucket, type TokenBucket } from './token-bucket.ts';
import { type Access, digestOf, requireBearerToken, unknownKey } from '../../../serve/access.ts';
import { ANYONE, type Caller } from './caller.ts';
import { keyCaller } from './key-caller.ts';
import { type KeyRecord, stateOf } from './key-record.ts';
import { parseRate } from './rate.ts';

export interface ManagerAccess extends Access {
  readonly check: (authorization: string | null | undefined) => Caller;
  /** Whether calls need a key. */
  readonly hasKeys: () => boolean;
}

export interface KeySource {
  /** The keys as they are now; the same list as long as they are. Undefined if there never were any. */
  readonly keys: () => readonly KeyRecord[] | undefined;
}

/** A key with what is known of whoever holds it. */
interface Holder {
  readonly record: KeyRecord;
  readonly digest: Buffer;
  /** What the record says of him. */
  readonly caller: Caller;
  readonly bucket: TokenBucket | undefined;
}

/** Access by the keys of a file. Without such a file anyone may do anything. */
export function createManagerAccess(source: KeySource, now: () => number = Date.now): ManagerAccess {
  let records: readonly KeyRecord[] | undefined;
  let holders: readonly Holder[] = [];

  const current = (): readonly Holder[] => {
    const latest = source.keys();
    if (latest !== records) {
      holders = (latest ?? []).map((record) => holderOf(record, holders));
      records = latest;
    }
    return holders;
  };
  /** Streams stay open for hours: whoever holds one may use no more than his key opens now. */
  const asOfNow = ({ record, caller }: Holder): Caller => {
    const latest = (): Caller | undefined => {
      const found = current().find((holder) => holder.record.hash === record.hash);
      return found && isActive(found, now()) ? found.caller : undefined;
    };
    return {
      ...caller,
      mayUse: (server, tool) => latest()?.mayUse(server, tool) ?? false,
      mayRead: (server, kind, item) => latest()?.mayRead(server, kind, item) ?? false,
    };
  };
  const isOpen = (): boolean => source.keys() === undefined;
  const anyone: Caller = { ...ANYONE, mayUse: isOpen, mayRead: isOpen };

  return {
    hasKeys: () => source.keys() !== undefined,
    check(authorization) {
      const all = current();
      if (records === undefined) return anyone;
      const given = digestOf(requireBearerToken(authorization));
      // Every key is compared, so the time tells nothing about them.
      const holder = all[all.map(({ digest }) => timingSafeEqual(digest, given)).indexOf(true)];
      if (!holder) throw unknownKey();
      const time = now();
      const state = stateOf(holder.record, time);
      if (state !== 'active') throw new AppError('UnauthorizedError', `The API key is ${state}.`);
      const wait = holder.bucket?.take(time) ?? 0;
      if (wait > 0) throw tooOften(holder.record, wait);
      return asOfNow(holder);
    },
  };
}

const isActive = ({ record }: Holder, now: number): boolean => stateOf(record, now) === 'active';

/** A key that was there before keeps its tokens: a reload is no way to get new ones. */
function holderOf(record: KeyRecord, before: readonly Holder[]): Holder {
  const known = before.find(
    (holder) => holder.record.hash === record.hash && holder.record.rate === record.rate,
  );
  const rate = record.rate === undefined ? undefined : parseRate(record.rate);
  return {
    record,
    digest: Buffer.from(record.hash, 'hex'),
    caller: keyCaller(record),
    bucket: known?.bucket ?? (rate && createTokenBucket(rate)),
  };
}

const tooOften = ({ name, rate = '' }: KeyRecord, milliseconds: number): AppError =>
  new AppError('OverloadedError', `The key ${JSON.stringify(name)} may be used ${rate} and was used more.`, {
    retryAfterSeconds: Math.ceil(milliseconds / 1000),
  });
