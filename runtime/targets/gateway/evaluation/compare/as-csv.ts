import { csvLine } from '../../shared/csv-line.ts';
import type { ModelComparison } from './comparison.ts';

const COLUMNS = [
  'workflow_id',
  'name',
  'model',
  'provider',
  'status',
  'metric',
  'value',
  'low',
  'high',
  'rows',
  'answered_rows',
  'cached_rows',
  'cached_verdicts',
  'failed_rows',
  'unscored_rows',
  'cost',
  'cost_per_row',
  'tokens_per_row',
  'prompt_tokens',
  'completion_tokens',
  'mean_latency_ms',
  'p50_latency_ms',
  'p95_latency_ms',
  'rows_per_second',
  'error',
];

/** One CSV line per metric and workflow. A workflow without metrics has a single line with its error. */
export async function* comparisonCsv({ workflows }: ModelComparison): AsyncGenerator<string, void> {
  yield csvLine(COLUMNS);
  for (const workflow of workflows) {
    const { id, name, model, provider, status, cost, error } = workflow;
    const before = [id, name, model, provider, status];
    const after = [
      workflow.answeredRows,
      workflow.cachedRows,
      workflow.cachedVerdicts,
      workflow.failedRows,
      workflow.unscoredRows,
      cost,
      workflow.costPerRow,
      workflow.tokensPerRow,
      workflow.promptTokens,
      workflow.completionTokens,
      workflow.latency?.mean,
      workflow.latency?.p50,
      workflow.latency?.p95,
      workflow.rowsPerSecond,
      error,
    ];
    const metrics = Object.entries(workflow.metrics);
    if (metrics.length === 0) yield csvLine([...before, '', '', '', '', workflow.rows, ...after]);
    for (const [metric, { value, interval, rows }] of metrics) {
      yield csvLine([...before, metric, value, interval?.low, interval?.high, rows, ...after]);
    }
  }
}
