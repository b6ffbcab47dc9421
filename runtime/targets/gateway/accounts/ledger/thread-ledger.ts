import { AppError } from '#contract/errors.ts';
import { OpenItems } from '#core/limits/open-items.ts';
import type { Clock } from '#platform/clock.ts';
import type { ThreadLink } from '#serve/threads/thread-link.ts';
import type { InFlightNote } from '../../store/store.ts';
import type { Spender } from '../identity/identity.ts';
import { createFlightLog } from './flight-log.ts';
import type {
  Estimate,
  FreeCall,
  HeldAmount,
  Ledger,
  Quota,
  QueueWait,
  RateState,
  OpenReservation,
  UsageEntry,
} from './ledger.ts';
import { admitted } from './limits.ts';
import { waitTermsOf } from './waiting/wait-terms.ts';

// The ledger of a gateway with several serving threads. Only the main thread has a ledger; serving threads
// send it their reservations and usage (docs/decisions/0160).

/** A spender that the other thread already has, by its number, or a new one. */
type SentSpender = readonly [id: number, spender?: Spender];

/** A new reservation. The spender is only included if the ledger has reread it. */
interface SentReservation {
  readonly id: string;
  readonly createdAt: number;
  readonly rate: RateState | undefined;
  readonly revision: number;
  readonly spender: Spender | undefined;
  readonly queuedMs: number | undefined;
}

/** What a serving thread can call. */
export interface LedgerFunctions {
  /** `waitId` identifies a request that can wait in a queue. */
  reserve(
    spender: SentSpender,
    estimate: Estimate,
    waitId?: number,
    maxMs?: number,
  ): Promise<SentReservation>;
  /** Removes a request from its queue, because its client has disconnected. */
  leaveQueue(waitId: number): void;
  /** Settles or releases a reservation. */
  finish(
    id: string,
    spender: SentSpender,
    isReleased: boolean,
    entries: readonly UsageEntry[],
  ): Promise<void>;
  bill(spender: SentSpender, entries: readonly UsageEntry[]): Promise<void>;
  admitFree(spender: SentSpender): Promise<{ readonly id: number; readonly rate: RateState | undefined }>;
  endFree(id: number): void;
  keep(id: string, spender: SentSpender): Promise<HeldAmount>;
  settleHeld(held: HeldAmount, entries: readonly UsageEntry[]): Promise<void>;
  note(notes: readonly InFlightNote[]): Promise<void>;
  quota(spender: SentSpender): Promise<Quota>;
}

/** Maximum number of spenders that a thread remembers for another. A full memory is cleared. */
const MAX_SPENDERS = 4096;

/** Offers the ledger to one serving thread. */
export function offerLedger(ledger: Ledger): LedgerFunctions {
  const spenders = new Map<number, Spender>();
  const freeCalls = new OpenItems<number, FreeCall>();
  const waiting = new OpenItems<number, AbortController>();
  let lastFreeCall = 0;
  const spenderOf = ([id, sent]: SentSpender): Spender => {
    if (sent) {
      if (id === 0) spenders.clear();
      spenders.set(id, sent);
      return sent;
    }
    const known = spenders.get(id);
    if (!known) throw new Error('A serving thread refers to an unknown spender.');
    return known;
  };
  return {
    async reserve(sent, estimate, waitId, maxMs) {
      const first = spenderOf(sent);
      const wait = waitId === undefined ? undefined : new AbortController();
      if (wait && waitId !== undefined) waiting.set(waitId, wait);
      try {
        const { id, createdAt, rate, spender, queuedMs } = await ledger.reserve(
          first,
          estimate,
          nothingYet,
          wait && { signal: wait.signal, maxMs },
        );
        const renewed = spender === first ? undefined : spender;
        return { id, createdAt, rate, revision: spender.revision, spender: renewed, queuedMs };
      } finally {
        if (waitId !== undefined) waiting.delete(waitId);
      }
    },
    leaveQueue: (waitId) => waiting.get(waitId)?.abort(),
    async finish(id, sent, isReleased, entries) {
      const reservation = { id, spender: spenderOf(sent) };
      await (isReleased ? ledger.release(reservation, ...entries) : ledger.settle(reservation, ...entries));
    },
    bill: async (spender, entries) => await ledger.bill(spenderOf(spender), ...entries),
    async admitFree(spender) {
      const call = await ledger.admitFree(spenderOf(spender));
      lastFreeCall += 1;
      freeCalls.set(lastFreeCall, call);
      return { id: lastFreeCall, rate: call.rate };
    },
    endFree(id) {
      freeCalls.get(id)?.end();
      freeCalls.delete(id);
    },
    keep: async (id, spender) => await ledger.keep({ id, spender: spenderOf(spender) }),
    settleHeld: async (held, entries) => await ledger.settleHeld(held, ...entries),
    note: async (notes) => await ledger.note(notes),
    quota: async (spender) => await ledger.quota(spenderOf(spender)),
  };
}

/** The serving thread itself notes the usage of its requests. */
const nothingYet = (): undefined => undefined;

interface ThreadLedgerParts {
  readonly link: ThreadLink<LedgerFunctions>;
  readonly clock: Clock;
  /** Receives the database revision with each reservation. */
  readonly onRevision: (revision: number) => void;
  readonly onError: (error: unknown) => void;
}

/** Returns the ledger of the main thread, for a serving thread. */
export function createThreadLedger({ link, clock, onRevision, onError }: ThreadLedgerParts): Ledger {
  const flights = createFlightLog((notes) => link.call('note', notes), clock, onError);
  let ids = new WeakMap<Spender, number>();
  let nextId = 0;
  let lastWait = 0;
  const sent = (spender: Spender): SentSpender => {
    const id = ids.get(spender);
    if (id !== undefined) return [id];
    if (nextId === MAX_SPENDERS) {
      ids = new WeakMap();
      nextId = 0;
    }
    ids.set(spender, nextId);
    nextId += 1;
    return [nextId - 1, spender];
  };
  const finish = async (
    { id, spender }: OpenReservation,
    isReleased: boolean,
    entries: readonly UsageEntry[],
  ): Promise<void> => {
    flights.remove(id);
    await link.call('finish', id, sent(spender), isReleased, entries);
  };
  const reserveWaiting = async (
    spender: Spender,
    estimate: Estimate,
    { signal, maxMs }: QueueWait,
  ): Promise<SentReservation> => {
    lastWait += 1;
    const waitId = lastWait;
    const leave = (): void => link.tell('leaveQueue', waitId);
    signal.addEventListener('abort', leave);
    try {
      return await link.call('reserve', sent(spender), estimate, waitId, maxMs);
    } catch (error) {
      // The main thread only knows that the request has left.
      throw signal.reason instanceof AppError ? signal.reason : error;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  };
  return {
    async reserve(first, estimate, usageSoFar, wait) {
      const received =
        wait && waitTermsOf(first)
          ? await reserveWaiting(first, estimate, wait)
          : await link.call('reserve', sent(first), estimate);
      const { id, createdAt, rate, revision, queuedMs, spender = first } = received;
      onRevision(revision);
      if (usageSoFar) flights.add(id, usageSoFar, spender.tags);
      const { cost: amount, tokens } = estimate;
      return admitted({ id, spender, amount, tokens, createdAt, rate, queuedMs });
    },
    // The queues are in the main thread.
    waiting: () => [],
    stopWaiting: () => undefined,
    settle: async (reservation, ...entries) => await finish(reservation, false, entries),
    release: async (reservation, ...entries) => await finish(reservation, true, entries),
    bill: async (spender, ...entries) => await link.call('bill', sent(spender), entries),
    async admitFree(spender) {
      const { id, rate } = await link.call('admitFree', sent(spender));
      return admitted({ rate, end: () => link.tell('endFree', id) });
    },
    async keep({ id, spender }) {
      flights.remove(id);
      return await link.call('keep', id, sent(spender));
    },
    settleHeld: async (held, ...entries) => await link.call('settleHeld', held, entries),
    note: async (notes) => await link.call('note', notes),
    quota: async (spender) => await link.call('quota', sent(spender)),
    // The main thread has the lease, and writes what is outstanding.
    heartbeat: () => Promise.resolve(),
    close() {
      flights.stop();
      return Promise.resolve();
    },
  };
}
