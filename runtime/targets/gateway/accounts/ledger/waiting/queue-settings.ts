import type { Priority } from '../../fields/shared-fields.ts';

/** Limits of the queues in which requests wait. */
export interface QueueSettings {
  /** Maximum number of waiting requests in this process. */
  readonly maxWaiting: number;
  /** Maximum number of waiting requests of one user. */
  readonly maxPerUser: number;
}

export const QUEUE_DEFAULTS: QueueSettings = { maxWaiting: 1000, maxPerUser: 100 };

/** Shares of the queue: of 21 requests that are served while all are waiting, 16 have a high priority. */
export const PRIORITY_WEIGHTS: Readonly<Record<Priority, number>> = { low: 1, normal: 4, high: 16 };

/** How a request waits instead of being rejected. */
export interface WaitTerms {
  readonly maxMs: number;
  readonly priority: Priority;
  /** Users share a queue by priority. */
  readonly userId: string;
  /** The request's team; undefined without one. */
  readonly teamId?: string | undefined;
}

/** The waiting requests of one priority. */
export interface WaitingRequests {
  readonly priority: Priority;
  readonly count: number;
  /** When the request that has waited longest began to wait, in milliseconds since 1970. */
  readonly since: number;
}

/** The sums of several lists, by priority, the highest first. Priorities without waiting requests are missing. */
export function mergeWaiting(lists: Iterable<readonly WaitingRequests[]>): readonly WaitingRequests[] {
  const merged = new Map<Priority, WaitingRequests>();
  for (const { priority, count, since } of [...lists].flat()) {
    const others = merged.get(priority);
    merged.set(priority, {
      priority,
      count: count + (others?.count ?? 0),
      since: Math.min(since, others?.since ?? since),
    });
  }
  return [...merged.values()].toSorted(
    (one, other) => PRIORITY_WEIGHTS[other.priority] - PRIORITY_WEIGHTS[one.priority],
  );
}

/** The end of a wait, for metrics. */
export type WaitOutcome = 'admitted' | 'expired' | 'left' | 'rejected' | 'full';

export interface WaitObserver {
  readonly began: (priority: Priority) => void;
  readonly ended: (priority: Priority, outcome: WaitOutcome, milliseconds: number) => void;
}
