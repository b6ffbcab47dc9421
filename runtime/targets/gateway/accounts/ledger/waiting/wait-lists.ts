import { AppError } from '#contract/errors.ts';
import { FairQueue, type FairEntry } from '#core/limits/fair-queue.ts';
import type { Clock } from '#platform/clock.ts';
import {
  mergeWaiting,
  PRIORITY_WEIGHTS,
  type QueueSettings,
  type WaitingRequests,
  type WaitObserver,
  type WaitOutcome,
  type WaitTerms,
} from './queue-settings.ts';

/** The result of trying to admit a request: admitted, or what it waits for. */
export type Try<Value> =
  | { readonly admitted: Value }
  /** `resource` is what has no room, and `error` is what the client receives if the request cannot wait. */
  | { readonly resource: string; readonly error: AppError };

interface WaitRequest<Value> {
  readonly terms: WaitTerms;
  readonly signal: AbortSignal | undefined;
  /** Tries to admit the request. It is called again each time that a resource may have room. */
  readonly attempt: () => Promise<Try<Value>>;
  /** Gives back what `attempt` admitted after the request had left. */
  readonly giveBack: (value: Value) => void;
}

interface Waited<Value> {
  readonly value: Value;
  readonly milliseconds: number;
}

/** What a request waits for, and the error that it would receive without a queue. */
export interface Refusal {
  readonly resource: string;
  readonly error?: AppError | undefined;
}

/** Requests that wait for resources, each of which has a queue that users share by priority. */
export interface WaitLists {
  /**
   * Waits until the request is admitted. Throws `refusal.error` if the queue is full or the time is over, the
   * signal's error, or an error of `attempt`. Without a refusal, the request waits behind the others for
   * `refusal.resource`.
   */
  wait<Value>(request: WaitRequest<Value>, refusal: Refusal): Promise<Waited<Value>>;
  /** The first of these resources that requests are waiting for. */
  busyAmong(resources: readonly string[]): string | undefined;
  /** Called when resources may have room, e.g. because a request has ended. */
  freed(resources: readonly string[]): void;
  /** Number of waiting requests. */
  size(): number;
  waiting(): readonly WaitingRequests[];
  /** Rejects all waiting and later requests. */
  stop(error: AppError): void;
}

interface WaitListParts {
  readonly clock: Clock;
  readonly random: () => number;
  readonly settings: () => QueueSettings;
  readonly observer?: WaitObserver | undefined;
  /** Range of the time between two tries, in milliseconds. */
  readonly pollMs: readonly [least: number, longest: number];
}

interface Waiter {
  readonly terms: WaitTerms;
  /** When it began to wait. */
  readonly since: number;
  readonly attempt: () => Promise<Try<unknown>>;
  readonly giveBack: (value: unknown) => void;
  readonly admit: (value: unknown) => void;
  readonly reject: (error: unknown, outcome: WaitOutcome) => void;
  /** Rejects it because another tenant's request takes its place. */
  readonly displace: () => void;
  list: List;
  entry: FairEntry<Waiter>;
  isDone: boolean;
}

interface List {
  readonly resource: string;
  readonly queue: FairQueue<Waiter>;
  isTrying: boolean;
  /** Whether the resource may have got room during a try. */
  isFreed: boolean;
  stopTimer: (() => void) | undefined;
}

/**
 * Only the first request of a resource's queue is tried, so that a resource that gets room is not tried by all
 * requests concurrently. A try that does not succeed is repeated when the resource is freed in this process
 * or, because other gateways share the database, after a random time.
 */
export function createWaitLists({ clock, random, settings, observer, pollMs }: WaitListParts): WaitLists {
  const lists = new Map<string, List>();
  const perUser = new Map<string, number>();
  const waiting = new Set<Waiter>();
  let stopped: AppError | undefined;

  const listOf = (resource: string): List => {
    const known = lists.get(resource);
    if (known) return known;
    const list = {
      resource,
      queue: new FairQueue<Waiter>(),
      isTrying: false,
      isFreed: false,
      stopTimer: undefined,
    };
    lists.set(resource, list);
    return list;
  };
  const enqueue = (waiter: Omit<Waiter, 'list' | 'entry'>, list: List): Waiter => {
    const { userId, priority } = waiter.terms;
    const placed = waiter as Waiter;
    placed.list = list;
    placed.entry = list.queue.add(placed, {
      flow: `${priority} ${userId}`,
      weight: PRIORITY_WEIGHTS[priority],
    });
    return placed;
  };
  const closeIfEmpty = (list: List): void => {
    if (list.queue.size > 0 || list.isTrying) return;
    list.stopTimer?.();
    if (lists.get(list.resource) === list) lists.delete(list.resource);
  };
  const schedule = (list: List): void => {
    const [least, longest] = pollMs;
    list.stopTimer?.();
    list.stopTimer = clock.after(least + random() * (longest - least), () => {
      list.stopTimer = undefined;
      void drain(list);
    });
  };

  /** Tries the first request again and again until it is not admitted. */
  const drain = async (list: List): Promise<void> => {
    if (list.isTrying) {
      list.isFreed = true;
      return;
    }
    list.isTrying = true;
    for (let entry = list.queue.first(); entry; entry = list.queue.first()) {
      list.isFreed = false;
      const waiter = entry.item;
      try {
        const result = await waiter.attempt();
        if ('admitted' in result) {
          if (waiter.isDone) waiter.giveBack(result.admitted);
          else {
            list.queue.take(entry);
            waiter.admit(result.admitted);
          }
          continue;
        }
        if (waiter.isDone) continue;
        if (result.resource !== list.resource) {
          // It waits for something else now, and must not delay the others.
          list.queue.delete(entry);
          const other = listOf(result.resource);
          enqueue(waiter, other);
          if (!other.isTrying && !other.stopTimer) schedule(other);
          continue;
        }
        if (list.isFreed) continue;
        schedule(list);
        break;
      } catch (error) {
        if (!waiter.isDone) waiter.reject(error, 'rejected');
      }
    }
    list.isTrying = false;
    closeIfEmpty(list);
  };

  /** Adds a waiter, and arranges for its end. */
  const begin = (
    { terms, signal, attempt, giveBack }: WaitRequest<unknown>,
    { resource, error: refusal }: Refusal,
    outcome: PromiseWithResolvers<unknown>,
  ): void => {
    const { userId, priority, maxMs } = terms;
    const since = clock.now();
    let last = refusal;
    const end = (as: WaitOutcome): void => {
      waiter.isDone = true;
      waiting.delete(waiter);
      waiter.list.queue.delete(waiter.entry);
      closeIfEmpty(waiter.list);
      const others = (perUser.get(userId) ?? 1) - 1;
      if (others === 0) perUser.delete(userId);
      else perUser.set(userId, others);
      stopDeadline();
      signal?.removeEventListener('abort', leave);
      observer?.ended(priority, as, clock.now() - since);
    };
    const reject = (error: unknown, as: WaitOutcome): void => {
      end(as);
      outcome.reject(error);
    };
    const leave = (): void => {
      if (signal?.reason instanceof AppError) reject(signal.reason, 'rejected');
      else reject(gone(), 'left');
    };
    const expire = (): void =>
      reject(
        withText(last ?? busy(), `The request waited ${Math.round(maxMs / 1000)} s in the queue.`),
        'expired',
      );
    const waiter = enqueue(
      {
        terms,
        since,
        giveBack,
        reject,
        displace: () => reject(withText(last ?? busy(), FULL), 'full'),
        isDone: false,
        async attempt() {
          const result = await attempt();
          if ('error' in result) last = result.error;
          return result;
        },
        admit(value) {
          end('admitted');
          outcome.resolve(value);
        },
      },
      listOf(resource),
    );
    const stopDeadline = clock.after(maxMs, expire);
    signal?.addEventListener('abort', leave);
    waiting.add(waiter);
    perUser.set(userId, (perUser.get(userId) ?? 0) + 1);
    observer?.began(priority);
    const { list } = waiter;
    if (!list.isTrying && !list.stopTimer) schedule(list);
  };

  /**
   * Removes the newest request of the tenant with the most if another tenant then has no more than it. A team can have any
   * number of service accounts, which could otherwise fill the queue for all others.
   */
  const makeRoomFor = (terms: WaitTerms): boolean => {
    const counts = new Map<string, number>();
    for (const one of waiting) {
      const tenant = tenantOf(one.terms);
      counts.set(tenant, (counts.get(tenant) ?? 0) + 1);
    }
    const [largest] = [...counts].reduce((one, other) => (other[1] > one[1] ? other : one), ['', 0]);
    if ((counts.get(largest) ?? 0) <= (counts.get(tenantOf(terms)) ?? 0) + 1) return false;
    const newest = [...waiting].findLast((one) => tenantOf(one.terms) === largest);
    newest?.displace();
    return newest !== undefined;
  };

  return {
    async wait<Value>(request: WaitRequest<Value>, refusal: Refusal): Promise<Waited<Value>> {
      const { terms, signal } = request;
      const { maxWaiting, maxPerUser } = settings();
      if (stopped) throw stopped;
      if (signal?.aborted) throw signal.reason instanceof AppError ? signal.reason : gone();
      const isUserFull = (perUser.get(terms.userId) ?? 0) >= maxPerUser;
      if (isUserFull || (waiting.size >= maxWaiting && !makeRoomFor(terms))) {
        observer?.ended(terms.priority, 'full', 0);
        const text = isUserFull ? `The user already has ${maxPerUser} requests in the queue.` : FULL;
        throw withText(refusal.error ?? busy(), text);
      }
      const since = clock.now();
      const outcome = Promise.withResolvers<unknown>();
      begin(request as WaitRequest<unknown>, refusal, outcome);
      const value = (await outcome.promise) as Value;
      return { value, milliseconds: clock.now() - since };
    },
    busyAmong: (resources) =>
      lists.size === 0 ? undefined : resources.find((resource) => lists.has(resource)),
    freed(resources) {
      if (lists.size === 0) return;
      for (const resource of resources) {
        const list = lists.get(resource);
        if (!list) continue;
        list.stopTimer?.();
        list.stopTimer = undefined;
        void drain(list);
      }
    },
    size: () => waiting.size,
    waiting: () =>
      mergeWaiting([[...waiting].map(({ terms: { priority }, since }) => ({ priority, count: 1, since }))]),
    stop(error) {
      stopped = error;
      for (const waiter of waiting) waiter.reject(error, 'rejected');
    },
  };
}

const FULL = 'The queue is full.';

/** Requests of a team are limited together, because its administrators create its users. */
const tenantOf = ({ teamId, userId }: WaitTerms): string =>
  teamId === undefined ? `user ${userId}` : `team ${teamId}`;

const busy = (): AppError =>
  new AppError('OverloadedError', 'Too many requests are waiting.', {
    reason: 'rate_limited',
    retryAfterSeconds: 1,
  });

const gone = (): AppError =>
  new AppError('CancelledError', 'Client disconnected.', { reason: 'client_left' });

/** The same error with more text. */
function withText({ code, message, reason, retryAfterSeconds, details }: AppError, text: string): AppError {
  const stem = /[.!?]$/.test(message) ? message : `${message}.`;
  return new AppError(code, `${stem} ${text}`, { reason, retryAfterSeconds, details });
}
