import type { Flags } from './candidates.ts';
import { type Load, type Measured, summarize } from './load.ts';

/** Measurements of an engine: one request at a time, and many in parallel. */
export interface Loads {
  readonly single: readonly Load[];
  readonly many: readonly Load[];
}

export interface FlagsResult {
  readonly flags: Flags;
  readonly single: Measured;
  readonly many: Measured;
  /** The speed of single answers, and texts per second in parallel, divided by those of the given flags. */
  readonly gain: { readonly single: number; readonly many: number };
}

/** The result of flags that were measured in turns with the given ones. */
export function flagsResult(flags: Flags, loads: Loads, given: Loads): FlagsResult {
  const [single, many] = [summarize(loads.single), summarize(loads.many)];
  const gain = {
    single: summarize(given.single).p50 / single.p50,
    many: many.textsPerSecond / summarize(given.many).textsPerSecond,
  };
  return { flags, single, many, gain };
}

/** Flags must be better than others by more than this, because measurements vary. */
const MARGIN = 1.05;

/** Returns the best of the results; of those that are about equal, the first. */
export const bestOf = (
  first: FlagsResult,
  others: readonly FlagsResult[],
  by: 'single' | 'many',
): FlagsResult => others.reduce((best, one) => (one.gain[by] > best.gain[by] * MARGIN ? one : best), first);
