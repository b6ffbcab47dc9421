import type { AppError } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import type { Spender } from '../../accounts/identity/identity.ts';
import { openValidity } from '../../accounts/identity/watch-spender.ts';
import type { QueueWait, Reservation } from '../../accounts/ledger/ledger.ts';
import { waitTermsOf } from '../../accounts/ledger/waiting/wait-terms.ts';
import type { FailureKind } from '../../providers/adapters/provider.ts';
import type { ProviderQueue } from './provider-queue.ts';

/**
 * A request that waits instead of being rejected. While it waits, its credential and its permission to use
 * the model are checked regularly, and once more when the wait ends.
 */
export interface QueuedRequest {
  /** Waits while the model has no room. Throws if the queue is full or the time is over. */
  enter(): Promise<void>;
  /** Runs a reservation, which can wait for the limits of the request's accounts. */
  reserve(open: (wait: QueueWait) => Promise<Reservation>): Promise<Reservation>;
  /** Waits after a provider has rejected the request. Throws `error` if the request cannot wait any longer. */
  waitAfter(error: AppError): Promise<void>;
  /** Ends the turn at the model. Repeated calls have no effect. */
  end(isAccepted: boolean): void;
}

interface QueuedParts {
  /** The model, which can be an alias. */
  readonly model: string;
  readonly providerQueue: ProviderQueue;
  readonly clock: Clock;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  /** Throws if the request's credential is no longer valid or must not use the model. */
  readonly check: () => Promise<unknown>;
  /** Receives the time that the request has waited for providers, each time that it has waited. */
  readonly onWaited?: ((milliseconds: number) => void) | undefined;
}

/** Opens the queues for a request; undefined if the request does not wait. */
export function openQueued(spender: Spender, parts: QueuedParts): QueuedRequest | undefined {
  const terms = waitTermsOf(spender);
  if (!terms) return undefined;
  const { model, providerQueue, onWaited } = parts;
  const { signal, whileWaiting, check } = openValidity(parts);
  const patience = { leftMs: terms.maxMs };
  let hasWaited = false;
  const turn = providerQueue.open({
    model,
    terms,
    patience,
    signal,
    onWaited(milliseconds) {
      hasWaited = true;
      onWaited?.(milliseconds);
    },
  });
  const step = async <Result>(wait: () => Promise<Result>): Promise<Result> => {
    hasWaited = false;
    const result = await whileWaiting(wait);
    // The credential can have expired since the last regular check.
    if (hasWaited) await check();
    return result;
  };
  return {
    enter: () => step(() => turn.enter()),
    reserve: (open) =>
      step(async () => {
        const reserved = await open({ signal, maxMs: patience.leftMs });
        if (reserved.queuedMs !== undefined) {
          patience.leftMs -= reserved.queuedMs;
          hasWaited = true;
        }
        return reserved;
      }),
    waitAfter: (error) => step(() => turn.waitAfter(error)),
    end: (isAccepted) => turn.end(isAccepted),
  };
}

/** Failures after which a request can succeed later without any change. */
export const NO_ROOM: ReadonlySet<FailureKind> = new Set<FailureKind>(['rate_limited', 'overloaded']);
