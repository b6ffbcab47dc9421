import { createHash } from 'node:crypto';
import { AppError } from '#contract/errors.ts';
import { remember } from '#core/limits/remember.ts';
import { type Clock, systemClock } from '#platform/clock.ts';
import { clientDisconnected, pause } from '#platform/wait-for.ts';
import type { Store } from '../../store/store.ts';
import type { IdempotencySettings } from './idempotency-settings.ts';
import { closeResponse, openResponse, type SealParts, type StoredResponse } from './sealed-response.ts';
import {
  createStoredKeys,
  type EndedRow,
  type Ending,
  type KeyedRequest,
  RENEWAL_MS,
  type RunningKey,
} from './stored-keys.ts';

/** A request with an `Idempotency-Key`. @internal Exported for tests. */
export interface IdempotentRequest {
  /** The caller. Others can use the same key. */
  readonly caller: string;
  /** Internal ID of the caller's user; empty for the master key. */
  readonly ownerId: string;
  readonly apiKeyId: string | null;
  readonly key: string;
  /** Hash of the request. */
  readonly fingerprint: string;
  readonly requestId: string;
  /** The caller's credential, which the stored response is encrypted with. */
  readonly credential: string;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

/** How a request has ended. */
export interface Outcome {
  /** Undefined if there is no complete response, or if it is too large. */
  readonly response: StoredResponse | undefined;
  /**
   * Whether the request had an effect, so that it must not run again. Otherwise, the key is forgotten, and
   * only the requests that are waiting for this one receive its response.
   */
  readonly hasEffect: boolean;
  /** Why the response must not be stored; undefined if it can be. */
  readonly problem: string | undefined;
  /** Internal ID of the user whom the request was billed to; undefined if it is the caller's. */
  readonly ownerId: string | undefined;
}

/** The right to run a request. It must be finished. */
export interface Claim {
  /**
   * Stores the outcome. Never rejects, because the client must receive its response. Repeated calls do
   * nothing.
   */
  finish(outcome: Outcome): Promise<void>;
}

/** Runs requests with the same key only once, also across gateways that share a database. */
export interface Idempotency {
  readonly settings: () => IdempotencySettings;
  /**
   * Returns the right to run a request, or the response to an earlier request with the same key. If that
   * request is still running, waits for it.
   */
  claim(request: IdempotentRequest): Promise<Claim | StoredResponse>;
  /** Forgets keys whose retention has expired. */
  prune(now: number): Promise<void>;
  /** Resolves when all outcomes are stored. */
  close(): Promise<void>;
}

interface IdempotencyParts {
  readonly store: Pick<Store, 'db' | 'kind'>;
  readonly settings: () => IdempotencySettings;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/** Maximum number of requests that wait for others in this process. */
const MAX_WAITING = 10_000;

/** How long to wait before checking whether another gateway has finished a request. */
const FIRST_POLL_MS = 25;
const MAX_POLL_MS = 500;

/** Limits are checked each time this many responses have been stored. */
const WRITES_PER_CHECK = 100;
const MAX_KNOWN_OWNERS = 10_000;

const CUT_OFF = 'it was cut off';

/** What requests that wait for another one in this process receive. */
type Shared = Pick<Outcome, 'response' | 'problem'> | { readonly row: EndedRow } | 'retry';

export function createIdempotency({ store, settings, clock, onError }: IdempotencyParts): Idempotency {
  const keys = createStoredKeys(store);
  const pending = new Map<string, Promise<Shared>>();
  const running = new Set<RunningKey>();
  const writing = new Set<Promise<void>>();
  const writesOf = new Map<string, number>();
  let waiting = 0;
  let storedBytes: number | undefined;
  let writes = 0;
  let disarm: (() => void) | undefined;

  const renewRegularly = (): void => {
    disarm ??= clock.after(RENEWAL_MS, () => {
      disarm = undefined;
      if (running.size === 0) return;
      void keys.renew([...running]).catch(onError);
      renewRegularly();
    });
  };

  /** The response to store, or why it is not stored. */
  const sealedOf = async (
    outcome: Outcome,
    parts: SealParts,
  ): Promise<Pick<Ending, 'sealed' | 'problem'>> => {
    const { storeResponses, maxStoredBytes } = settings();
    const { response } = outcome;
    const problem = outcome.problem ?? (storeResponses ? undefined : 'this gateway does not store responses');
    if (problem !== undefined || !response) return { sealed: null, problem: problem ?? CUT_OFF };
    const sealed = await closeResponse(response, parts);
    if (writes % WRITES_PER_CHECK === 0) storedBytes = await keys.size();
    writes += 1;
    if ((storedBytes ?? 0) + sealed.length > maxStoredBytes)
      return { sealed: null, problem: 'there is no space left for stored responses' };
    storedBytes = (storedBytes ?? 0) + sealed.length;
    return { sealed, problem: null };
  };

  const limitUser = async (ownerId: string): Promise<void> => {
    const count = (writesOf.get(ownerId) ?? 0) + 1;
    remember(writesOf, ownerId, count, MAX_KNOWN_OWNERS);
    if (count % WRITES_PER_CHECK === 0) await keys.limit(ownerId, settings());
  };

  const claimOf = (
    request: KeyedRequest,
    own: RunningKey,
    parts: SealParts,
    share: (shared: Shared) => void,
  ): Claim => {
    running.add(own);
    renewRegularly();
    const write = async (outcome: Outcome): Promise<void> => {
      const { ownerId } = outcome;
      try {
        if (!outcome.hasEffect) return await keys.release(own.id, own.claim);
        await keys.end(own.id, own.claim, { ownerId, ...(await sealedOf(outcome, parts)) });
        await limitUser(ownerId ?? request.ownerId);
      } catch (error) {
        onError(error);
      }
    };
    let isFinished = false;
    return {
      async finish(outcome) {
        if (isFinished) return;
        isFinished = true;
        const written = write(outcome);
        writing.add(written);
        await written;
        writing.delete(written);
        running.delete(own);
        const { response, problem } = outcome;
        share(response || outcome.hasEffect ? { response, problem } : 'retry');
      },
    };
  };

  /** Finds the key in the database. If another gateway runs the request, waits for it. */
  const find = async (request: KeyedRequest, signal: AbortSignal) => {
    for (let delay = FIRST_POLL_MS; ; delay = Math.min(2 * delay, MAX_POLL_MS)) {
      const found = await keys.find(request, Math.floor(clock.now()), settings());
      if (found.kind === 'different') throw reused();
      if (found.kind !== 'running') return found;
      await pause(delay, systemClock, signal);
      if (signal.aborted) throw clientDisconnected();
    }
  };

  const waitForOther = async (other: Promise<Shared>, signal: AbortSignal): Promise<Shared> => {
    if (waiting >= MAX_WAITING) throw inProgress();
    waiting += 1;
    const left = Promise.withResolvers<never>();
    const leave = (): void => left.reject(clientDisconnected());
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    try {
      return await Promise.race([other, left.promise]);
    } finally {
      waiting -= 1;
      signal.removeEventListener('abort', leave);
    }
  };

  return {
    settings,
    async claim({ caller, key, credential, signal, ...rest }) {
      const id = hashOf([caller, key]);
      const parts = { id, key, credential };
      const request = { id, ...rest };
      const name = `${id} ${rest.fingerprint}`;
      for (;;) {
        const other = pending.get(name);
        if (other) {
          const shared = await waitForOther(other, signal);
          if (shared !== 'retry') return await responseOf(shared, parts);
          continue;
        }
        const { promise, resolve } = Promise.withResolvers<Shared>();
        pending.set(name, promise);
        const share = (shared: Shared): void => {
          pending.delete(name);
          resolve(shared);
        };
        try {
          const found = await find(request, signal);
          if (found.kind === 'claimed') return claimOf(request, { id, claim: found.claim }, parts, share);
          share(found);
          return await responseOf(found, parts);
        } catch (error) {
          share('retry');
          throw error;
        }
      }
    },
    prune: (now) => keys.prune(Math.floor(now)),
    async close() {
      disarm?.();
      await Promise.all(writing);
    },
  };
}

const hashOf = (parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url');

async function responseOf(shared: Exclude<Shared, 'retry'>, parts: SealParts): Promise<StoredResponse> {
  if (!('row' in shared)) {
    if (shared.response) return shared.response;
    throw unavailable(shared.problem ?? CUT_OFF);
  }
  const { sealed, problem } = shared.row;
  const response = sealed ? await openResponse(sealed, parts) : undefined;
  if (response) return response;
  throw unavailable(problem ?? 'the API key has changed since then');
}

const reused = (): AppError =>
  new AppError(
    'InputError',
    'This Idempotency-Key was already used for a different request. Use a new key for each request.',
    { reason: 'idempotency_key_reused' },
  );

const inProgress = (): AppError =>
  new AppError(
    'ConflictError',
    'A request with this Idempotency-Key is running, and too many others are waiting. Retry later.',
    { reason: 'idempotency_in_progress', retryAfterSeconds: 1 },
  );

const unavailable = (problem: string): AppError =>
  new AppError(
    'ConflictError',
    `The request with this Idempotency-Key has already run, but its response is not stored, because ${problem}. To run it again, use a new key.`,
    { reason: 'idempotency_response_unavailable' },
  );
