import type { Clock } from '#platform/clock.ts';
import { failure } from '../failure.ts';
import type { FailedAnswer } from '../provider.ts';
import type { KeyPool } from './key-pool.ts';
import type { KeyedCall } from './key-state.ts';

/** A pool, and the headers with which requests are sent with each of its keys. */
export interface KeyAccess {
  readonly pool: KeyPool;
  readonly headers: ReadonlyMap<string, Readonly<Record<string, string>>>;
}

/** One try to get a response. */
interface KeyTry {
  readonly headers: Readonly<Record<string, string>>;
  /** Receives the headers of the response. */
  readonly heard: (headers: Parameters<KeyPool['heard']>[2]) => void;
  /** Milliseconds that have passed since the first try. All tries together have the call's time limit. */
  readonly elapsedMs: number;
}

/**
 * Sends a call with one key after another, until the provider does not reject it because of the key. The
 * result contains the name of the key.
 */
export async function callWithKeys<Result extends object>(
  { pool, headers }: KeyAccess,
  call: KeyedCall,
  clock: Pick<Clock, 'now'>,
  send: (attempt: KeyTry) => Promise<Result | FailedAnswer>,
): Promise<Result | FailedAnswer> {
  const startedAt = clock.now();
  const tried = new Set<string>();
  let failed: FailedAnswer | undefined;
  for (;;) {
    const key = pool.choose(call, tried);
    if (key === undefined) return failed ?? failure('unsupported');
    tried.add(key);
    const sentAt = clock.now();
    const result = await send({
      headers: headers.get(key) ?? {},
      heard: (received) => pool.heard(key, call, received),
      elapsedMs: sentAt - startedAt,
    });
    if (!isFailed(result)) {
      pool.succeeded(key, call, sentAt);
      // Lists are returned unchanged.
      return 'kind' in result ? { ...result, providerKey: key } : result;
    }
    const triesNext = pool.failed(key, call, result.failure);
    const own = { ...result, failure: { ...result.failure, providerKey: key } };
    if (!triesNext || result.failure.isPaid) return own;
    // Clients can react to the limit of a working key, but not to a key that does not work.
    failed = failed?.failure.kind === 'rate_limited' ? failed : own;
    if (failed.failure.kind === 'rate_limited') failed = withWait(failed, pool.waitMs(call));
  }
}

const isFailed = (value: object): value is FailedAnswer => 'kind' in value && value.kind === 'failed';

/** The failure of a rate limit, after the shortest pause of all keys. */
function withWait(failed: FailedAnswer, waitMs: number): FailedAnswer {
  const { kind, retryAfterSeconds, providerKey, ...facts } = failed.failure;
  const seconds = Math.ceil(waitMs / 1000);
  if (retryAfterSeconds === undefined || retryAfterSeconds <= seconds) return failed;
  const next = failure(kind, { ...facts, retryAfterSeconds: seconds });
  return { ...next, failure: { ...next.failure, providerKey } };
}
