/** Flags of `serve` to try; undefined means the default. */
export interface Flags {
  readonly workers?: number | undefined;
  readonly threads?: number | undefined;
  readonly maxBatchTokens?: number | undefined;
}

/** All ways to divide the processors: workers are powers of two, and as many as there are processors. */
export function threadCandidates(cores: number, maxWorkers: number): Flags[] {
  const powers = Array.from({ length: Math.floor(Math.log2(cores)) + 1 }, (_, power) => 2 ** power);
  return [...new Set([...powers, cores])]
    .filter((workers) => workers <= Math.max(1, maxWorkers))
    .map((workers) => ({ workers, threads: Math.max(1, Math.floor(cores / workers)) }));
}

/** Sizes of batches around the default. */
export const batchCandidates = (flags: Flags, defaultBatchTokens: number): Flags[] =>
  [0.5, 2, 4].map((factor) => ({ ...flags, maxBatchTokens: factor * defaultBatchTokens }));

export const flagsText = ({ workers, threads, maxBatchTokens }: Flags): string =>
  [
    ...(workers === undefined ? [] : [`--workers ${workers}`]),
    ...(threads === undefined ? [] : [`--threads ${threads}`]),
    ...(maxBatchTokens === undefined ? [] : [`--max-batch-tokens ${maxBatchTokens}`]),
  ].join(' ');
