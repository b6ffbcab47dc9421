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
}

/** The end of a wait, for metrics. */
export type WaitOutcome = 'admitted' | 'expired' | 'left' | 'rejected' | 'full';

export interface WaitObserver {
  readonly began: (priority: Priority) => void;
  readonly ended: (priority: Priority, outcome: WaitOutcome, milliseconds: number) => void;
}
