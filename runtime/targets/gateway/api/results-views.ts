import type { Plots, WorkflowPlots } from '../evaluation/plots/plots.ts';
import type { WorkerProgress } from '../evaluation/worker-progress.ts';
import type { IndexedModel, RowIndex } from '../evaluation/rows/row-index.ts';
import { isActive } from '../evaluation/workflows/workflow-row.ts';
import type { WorkflowDetails } from '../evaluation/workflows/workflow.ts';
import { rfc3339OrNull } from './http/values.ts';

export const rowView = (index: RowIndex, at: number) => ({
  row: at + 1,
  example: index.examples[at] ?? '',
  ground_truth: index.truths[at] ?? null,
  differs: index.differs[at] === 1,
  models: Object.fromEntries(index.models.map((model) => [model.id, modelRowView(model, at)])),
});

const modelRowView = ({ answers, errors, latency, scores, reasons }: IndexedModel, at: number) => ({
  answer: answers[at] ?? null,
  error: errors[at] ?? null,
  latency_ms: numberOrNull(latency[at]),
  scores: Object.fromEntries(
    [...scores].flatMap(([metric, values]) => {
      const value = numberOrNull(values[at]);
      return value === null ? [] : [[metric, value]];
    }),
  ),
  reasons: reasons[at] ?? {},
});

const numberOrNull = (value: number | undefined): number | null =>
  value === undefined || Number.isNaN(value) ? null : value;

export const plotsView = ({ metrics, metric, labels, label, workflows }: Plots) => ({
  metrics,
  metric,
  labels,
  label,
  workflows: workflows.map(workflowPlotsView),
});

const workflowPlotsView = ({ id, name, confusion, curves, scores, latency, lengths }: WorkflowPlots) => ({
  id,
  name,
  confusion,
  curves: curves && {
    rows: curves.rows,
    roc_auc: curves.rocAuc,
    average_precision: curves.averagePrecision,
    roc: curves.roc,
    precision_recall: curves.precisionRecall,
    calibration: curves.calibration,
  },
  scores,
  latency,
  lengths,
});

export const progressView = (workflows: readonly WorkflowDetails[], workers: readonly WorkerProgress[]) => ({
  active: workflows.some(isActive),
  workflows: workflows.map((workflow) => ({
    id: workflow.id,
    name: workflow.name,
    status: workflow.status,
    error: workflow.error,
    jobs: workflow.jobs.toReversed().map((job) => ({
      id: job.id,
      type: job.spec.type,
      status: job.status,
      total_rows: job.totalRows,
      done_rows: job.doneRows,
      failed_rows: job.failedRows,
      queued_reason: job.queuedReason,
      started_at: rfc3339OrNull(job.startedAt),
      ended_at: rfc3339OrNull(job.endedAt),
      workers: workers
        .filter(({ jobId }) => jobId === job.id)
        .map(({ worker, firstRow, rows, doneRows, failedRows }) => ({
          worker,
          first_row: firstRow + 1,
          rows,
          done_rows: doneRows,
          failed_rows: failedRows,
        })),
    })),
  })),
});
