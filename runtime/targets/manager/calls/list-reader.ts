import type { Params } from '../shapes/shape.ts';

/** A request that needs a list. */
export interface ListReader {
  readonly timeLeft: () => number;
  readonly signal?: AbortSignal | undefined;
  /** Time limits of readers that can continue without the list. */
  readonly waitLimits?: ListWaitLimits | undefined;
  /** Maximum age of a cached list, if it is larger than that of the list itself. */
  readonly maxAgeMs?: number | undefined;
}

export interface ListWaitLimits {
  /** Maximum time for a server to start. */
  readonly startMs: number;
  /** Maximum time for its first list, from the moment it was requested. */
  readonly listMs: number;
}

/** A list of a server at some point in time, with repaired items and without malformed ones. */
export interface ListSnapshot {
  readonly items: readonly Params[];
  readonly listedAt: number;
}
