import type { AppError } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import type { Spender } from '../../identity/identity.ts';
import type { Estimate, QueueWait, Reservation, UsageEntry } from '../ledger.ts';
import { appliesTo, type HeldAccount } from '../limits.ts';
import type { QueueSettings, WaitingRequests, WaitObserver, WaitTerms } from './queue-settings.ts';
import { createWaitLists } from './wait-lists.ts';

/** Why a request is rejected that can be admitted later. */
export interface Later {
  /** The account without room. */
  readonly resource: string;
  readonly error: AppError;
}

export const isLater = (result: Reservation | Later): result is Later => 'error' in result;

export interface ReservationQueueParts {
  readonly clock: Clock;
  readonly settings: () => QueueSettings;
  readonly observer?: WaitObserver | undefined;
  readonly reserve: (
    spender: Spender,
    estimate: Estimate,
    usageSoFar: (() => UsageEntry | undefined) | undefined,
  ) => Promise<Reservation | Later>;
  readonly accountsOf: (spender: Spender) => readonly HeldAccount[];
  /** Rereads a spender, whose key can have expired meanwhile. */
  readonly renew: (spender: Spender) => Promise<Spender>;
  readonly release: (reservation: Reservation) => void;
}

interface WaitingReservation extends QueueWait {
  readonly terms: WaitTerms;
  readonly spender: Spender;
  readonly estimate: Estimate;
  readonly usageSoFar: (() => UsageEntry | undefined) | undefined;
}

/** Reserves budget for requests that can wait for the limits of their accounts. */
export interface ReservationQueue {
  reserve(request: WaitingReservation): Promise<Reservation>;
  /** Called when a request has left these accounts. */
  freed(accounts: readonly Pick<HeldAccount, 'id'>[]): void;
  waiting(): readonly WaitingRequests[];
  stop(error: AppError): void;
}

/**
 * Other gateways can free an account, and limits per minute are freed by time, so the first request of each
 * account's queue is tried again after a time between these. It is random, so that several gateways do not
 * try together.
 */
const POLL_MS = [500, 1000] as const;

export function createReservationQueue(parts: ReservationQueueParts): ReservationQueue {
  const { clock, settings, observer, reserve, accountsOf, renew, release } = parts;
  const lists = createWaitLists({ clock, random: Math.random, settings, observer, pollMs: POLL_MS });

  return {
    async reserve({ terms, signal, maxMs = terms.maxMs, spender: first, estimate, usageSoFar }) {
      const applying = accountsOf(first).filter((account) => appliesTo(account, estimate.models));
      // A request must not overtake those that already wait for one of its accounts.
      const busy = lists.busyAmong(applying.map(({ id }) => id));
      const refusal = busy === undefined ? await reserve(first, estimate, usageSoFar) : { resource: busy };
      if (!('resource' in refusal)) return refusal;
      const { value, milliseconds } = await lists.wait<Reservation>(
        {
          terms: { ...terms, maxMs },
          signal,
          async attempt() {
            const result = await reserve(await renew(first), estimate, usageSoFar);
            return isLater(result) ? result : { admitted: result };
          },
          giveBack: release,
        },
        refusal,
      );
      return { ...value, queuedMs: milliseconds };
    },
    freed(accounts) {
      if (lists.size() > 0) lists.freed(accounts.map(({ id }) => id));
    },
    waiting: () => lists.waiting(),
    stop: (error) => lists.stop(error),
  };
}
