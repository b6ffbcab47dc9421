import type { Params } from '../shapes/shape.ts';

/** A request that needs a list. */
export interface ListReader {
  readonly timeLeft: () => number;
  readonly signal?: AbortSignal | undefined;
  /** For readers that can do without the list. */
  readonly patience?: ListPatience | undefined;
}

export interface ListPatience {
  /** Maximum time for a server to start. */
  readonly startMs: number;
  /** Maximum time for its first list, from the moment it was requested. */
  readonly listMs: number;
}

/** A list as the server sent it at some time, repaired, without malformed items. */
export interface ListSnapshot {
  readonly items: readonly Params[];
  readonly listedAt: number;
}
