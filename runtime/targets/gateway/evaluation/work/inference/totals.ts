import type { Json } from '../../../providers/shapes/chat.ts';
import type { WorkResult } from '../work.ts';

/** An inference's totals so far. */
export interface Totals {
  readonly rows: number;
  readonly failed: number;
  /** Rows whose response came from the experiment's cache. Missing from checkpoints of earlier versions. */
  readonly cached?: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly reasoningTokens: number;
  readonly latencyMs: number;
  /** Time with at least one open call. Missing from checkpoints of earlier versions. */
  readonly busyMs?: number;
}

export const NO_TOTALS: Totals = {
  rows: 0,
  failed: 0,
  cached: 0,
  promptTokens: 0,
  completionTokens: 0,
  reasoningTokens: 0,
  latencyMs: 0,
  busyMs: 0,
};

export const addTotals = (one: Totals, other: Totals): Totals => ({
  rows: one.rows + other.rows,
  failed: one.failed + other.failed,
  cached: (one.cached ?? 0) + (other.cached ?? 0),
  promptTokens: one.promptTokens + other.promptTokens,
  completionTokens: one.completionTokens + other.completionTokens,
  reasoningTokens: one.reasoningTokens + other.reasoningTokens,
  latencyMs: one.latencyMs + other.latencyMs,
  busyMs: (one.busyMs ?? 0) + (other.busyMs ?? 0),
});

/** Merges the checkpoints of row ranges. */
export const mergeTotals = (checkpoints: readonly Json[]): Json => ({
  ...(checkpoints as unknown as readonly Totals[]).reduce(addTotals, NO_TOTALS),
});

/** An inference's metrics. Means are over rows with a response. */
export function metricsOf(totals: Totals): WorkResult['metrics'] {
  const { rows, failed, cached = 0, busyMs = 0, latencyMs } = totals;
  const { promptTokens, completionTokens, reasoningTokens } = totals;
  if (rows === 0) return {};
  const answered = rows - failed;
  const means = {
    avg_prompt_tokens: promptTokens / answered,
    avg_completion_tokens: completionTokens / answered,
    avg_total_tokens: (promptTokens + completionTokens) / answered,
    avg_reasoning_tokens: reasoningTokens / answered,
    avg_answer_tokens: (completionTokens - reasoningTokens) / answered,
    avg_latency_ms: latencyMs / answered,
  };
  const called = answered - cached;
  return {
    ...(answered === 0 ? {} : means),
    ...(called > 0 && busyMs > 0 ? { rows_per_second: (1000 * called) / busyMs } : {}),
    error_rate: failed / rows,
  };
}

export const detailsOf = ({ rows, failed, cached = 0, promptTokens, completionTokens }: Totals): Json => ({
  rows,
  failed_rows: failed,
  cached_rows: cached,
  prompt_tokens: promptTokens,
  completion_tokens: completionTokens,
});
