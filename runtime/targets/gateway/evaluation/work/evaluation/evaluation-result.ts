import type { Json as MetricJson } from '../../metrics/metric.ts';
import type { EvaluationSpec, WorkResult } from '../work.ts';
import { failuresOf } from './failures-of.ts';
import type { RowCounts } from './row-counts.ts';
import type { OpenedFamily } from './score-batch.ts';

/** The result of an evaluation. Values are not rounded; undefined ones are left out, and the details have the reasons. */
export function evaluationResult(
  spec: EvaluationSpec,
  opened: readonly OpenedFamily[],
  { rows, failed, skipped, unanswered, cachedVerdicts }: RowCounts,
): WorkResult {
  const metrics: Record<string, number> = {};
  const undefinedMetrics: Record<string, string> = {};
  const details: Record<string, MetricJson> = {};
  for (const { family, shows, scorer } of opened) {
    const { values, reasons, detail } = scorer.result();
    for (const [name, value] of Object.entries(values)) {
      if (!shows(name)) continue;
      if (value === null) undefinedMetrics[family.shownAs(name)] = reasons[name] ?? '';
      else metrics[family.shownAs(name)] = value;
    }
    if (detail !== null) details[family.name] = detail;
  }
  const { task, metrics: requested, predictionField, batchSize, judge, embedder } = spec;
  return {
    metrics,
    details: {
      rows,
      failed_rows: failed,
      skipped_rows: skipped,
      unanswered_rows: unanswered ?? 0,
      cached_verdicts: cachedVerdicts ?? 0,
      undefined_metrics: undefinedMetrics,
      ...details,
    },
    parameters: {
      type: spec.type,
      task,
      metrics: requested,
      ...(spec.customMetrics !== undefined && {
        custom_metrics: spec.customMetrics.map((one) => ({ ...one })),
      }),
      prediction_field: predictionField,
      failures: failuresOf(spec),
      batch_size: batchSize,
      judge: judge?.backend ?? null,
      ...(judge?.generation && { judge_generation: judge.generation }),
      ...(judge?.maxConcurrency !== undefined && { judge_max_concurrency: judge.maxConcurrency }),
      embedder: embedder?.backend ?? null,
    },
  };
}
