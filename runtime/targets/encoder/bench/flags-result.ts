import { type Load, type Measured, summarize } from './load.ts';

/** Measurements of an engine, both with one request at a time and with many requests in parallel. */
export interface Loads {
  readonly single: readonly Load[];
  readonly many: readonly Load[];
}

export interface FlagsResult {
  readonly flags: Flags;
  readonly single: Measured;
  readonly many: Measured;
  /** The speed of single requests and the parallel throughput, relative to the user's flags. */
  readonly gain: { readonly single: number; readonly many: number };
}

/** Computes the result for flags whose measurement alternated with one of the user's flags. */
export function flagsResult(flags: Flags, loads: Loads, given: Loads): FlagsResult {
  const [single, many] = [summarize(loads.single), summarize(loads.many)];
  const gain = {
    single: summarize(given.single).p50 / single.p50,
    many: many.inputsPerSecond / summarize(given.many).inputsPerSecond,
  };
  return { flags, single, many, gain };
}

/** Flags only count as better if they are better by more than this factor, because measurements vary. */
const MARGIN = 1.05;

/** Returns the best result. If several results are about equal, the first of them is returned. */
export const bestOf = (
  first: FlagsResult,
  others: readonly FlagsResult[],
  by: 'single' | 'many',
): FlagsResult => others.reduce((best, one) => (one.gain[by] > best.gain[by] * MARGIN ? one : best), first);

/** The `serve` flags to try. An undefined flag has its default value. */
export interface Flags {
  readonly workers?: number | undefined;
  readonly threads?: number | undefined;
  readonly maxBatchTokens?: number | undefined;
}

/**
 * All candidates for dividing the CPUs among workers. The number of workers is a power of two or
 * the number of CPUs.
 */
export function threadCandidates(cores: number, maxWorkers: number): Flags[] {
  const powers = Array.from({ length: Math.floor(Math.log2(cores)) + 1 }, (_, power) => 2 ** power);
  return [...new Set([...powers, cores])]
    .filter((workers) => workers <= Math.max(1, maxWorkers))
    .map((workers) => ({ workers, threads: Math.max(1, Math.floor(cores / workers)) }));
}

/** Batch sizes close to the default size. */
export const batchCandidates = (flags: Flags, defaultBatchTokens: number): Flags[] =>
  [0.5, 2, 4].map((factor) => ({ ...flags, maxBatchTokens: factor * defaultBatchTokens }));

export const flagsText = ({ workers, threads, maxBatchTokens }: Flags): string =>
  [
    ...(workers === undefined ? [] : [`--workers ${workers}`]),
    ...(threads === undefined ? [] : [`--threads ${threads}`]),
    ...(maxBatchTokens === undefined ? [] : [`--max-batch-tokens ${maxBatchTokens}`]),
  ].join(' ');
