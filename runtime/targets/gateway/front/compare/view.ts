import type { Comparison } from '../../lab/compare/comparison.ts';
import { taskView } from '../experiments/view.ts';

export const comparisonView = ({
  experiment,
  partial,
  metrics,
  workflows,
  pairs,
  disagreements,
}: Comparison) => ({
  experiment: {
    id: experiment.id,
    name: experiment.name,
    dataset: experiment.datasetId,
    task_definition: taskView(experiment.task),
  },
  partial,
  metrics,
  workflows: workflows.map((workflow) => ({
    id: workflow.id,
    name: workflow.name,
    model: workflow.model,
    provider: workflow.provider,
    status: workflow.status,
    error: workflow.error,
    rows: workflow.rows,
    failed_rows: workflow.failedRows,
    unscored_rows: workflow.unscoredRows,
    failures: workflow.failures,
    metrics: workflow.metrics,
    cost: workflow.cost,
    prompt_tokens: workflow.promptTokens,
    completion_tokens: workflow.completionTokens,
    latency_ms: workflow.latency,
    seconds: workflow.seconds,
  })),
  pairs: pairs.map(({ metric, first, second, mean, interval, rows, test, p_value, adjusted }) => ({
    metric,
    first,
    second,
    difference: mean,
    interval,
    rows,
    test,
    p_value,
    adjusted_p_value: adjusted,
  })),
  disagreements: disagreements && {
    total: disagreements.total,
    items: disagreements.items.map(({ row, example, groundTruth, answers }) => ({
      row,
      example,
      ground_truth: groundTruth,
      answers,
    })),
  },
});
