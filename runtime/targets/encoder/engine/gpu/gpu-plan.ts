/** The duration of a run in milliseconds: a fixed part, and a part for each token. */
export interface RunCost {
  readonly run: number;
  readonly token: number;
}

/** How many tokens were run, and for how long. */
export interface MeasuredRun {
  readonly tokens: number;
  readonly milliseconds: number;
}

export interface GpuPlan {
  /** Number of waiting tokens from which the GPU is faster than the CPU. */
  readonly minTokens: number;
  /** Maximum number of padded tokens in a batch. */
  readonly maxTokens: number;
  /** Padding that a text is allowed to add to a batch, in tokens. Less than the fixed part of a run. */
  readonly maxPadding: number;
  readonly gpu: RunCost;
  readonly cpu: RunCost;
  /** Whether the GPU was slower for all measured batches and is used because the user requires it. */
  readonly isSlower: boolean;
}

export const milliseconds = ({ run, token }: RunCost, tokens: number): number => run + token * tokens;

/**
 * Plans which batches run on the GPU, from the durations of at least one run on each device; the runs on
 * the GPU in ascending order of size. Undefined if the GPU is not faster for any batch and the user does
 * not require it.
 */
export function planGpu(
  cpuRun: MeasuredRun,
  gpuRuns: readonly MeasuredRun[],
  isRequired: boolean,
): GpuPlan | undefined {
  const cpu: RunCost = { run: 0, token: cpuRun.milliseconds / cpuRun.tokens };
  const best = fastest(gpuRuns);
  if (!best) return undefined;
  const gpu = costOf(gpuRuns, best);
  const saved = cpu.token - gpu.token;
  const minTokens = saved > 0 ? Math.max(1, Math.ceil(gpu.run / saved)) : Infinity;
  const isSlower = minTokens > best.tokens;
  if (isSlower && !isRequired) return undefined;
  return {
    minTokens: isSlower ? 1 : minTokens,
    maxTokens: best.tokens,
    maxPadding: Math.round(Math.min(MAX_PADDING, gpu.run / gpu.token)),
    gpu,
    cpu,
    isSlower,
  };
}

/** Avoids batches in which most tokens are padding. */
const MAX_PADDING = 512;

/**
 * The run with the highest throughput; of runs with about the same throughput, the smallest, because the
 * texts in a batch wait for each other.
 */
function fastest(runs: readonly MeasuredRun[]): MeasuredRun | undefined {
  const rate = (run: MeasuredRun): number => run.tokens / run.milliseconds;
  const highest = runs.reduce((rates, run) => Math.max(rates, rate(run)), 0);
  return runs.find((run) => rate(run) >= highest * SAME_RATE);
}

const SAME_RATE = 0.9;

function costOf([smallest]: readonly MeasuredRun[], best: MeasuredRun): RunCost {
  if (!smallest || smallest.tokens === best.tokens) return { run: 0, token: best.milliseconds / best.tokens };
  const token = (best.milliseconds - smallest.milliseconds) / (best.tokens - smallest.tokens);
  // A larger run can be faster by chance.
  const perToken = Math.max(token, MIN_TOKEN_MS);
  return { token: perToken, run: Math.max(0, smallest.milliseconds - perToken * smallest.tokens) };
}

const MIN_TOKEN_MS = 1e-6;
