import { csvLine } from '../../shared/csv-line.ts';
import type { Comparison } from './comparison.ts';

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
  'failed_rows',
  'unscored_rows',
  'cost',
  'prompt_tokens',
  'completion_tokens',
  'mean_latency_ms',
  'error',
];

/** A CSV line for each metric of each workflow. A workflow without metrics has one line with its error. */
export async function* comparisonCsv({ workflows }: Comparison): AsyncGenerator<string, void> {
  yield csvLine(COLUMNS);
  for (const workflow of workflows) {
    const { id, name, model, provider, status, cost, error } = workflow;
    const before = [id, name, model, provider, status];
    const after = [
      workflow.failedRows,
      workflow.unscoredRows,
      cost,
      workflow.promptTokens,
      workflow.completionTokens,
      workflow.latency?.mean,
      error,
    ];
    const metrics = Object.entries(workflow.metrics);
    if (metrics.length === 0) yield csvLine([...before, '', '', '', '', workflow.rows, ...after]);
    for (const [metric, { value, interval, rows }] of metrics) {
      yield csvLine([...before, metric, value, interval?.low, interval?.high, rows, ...after]);
    }
  }
}
