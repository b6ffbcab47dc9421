import { rfc3339 } from '#core/time/rfc3339.ts';
import type { Dataset } from '../../evaluation/datasets/dataset.ts';

export const datasetView = (dataset: Dataset) => ({
  id: dataset.id,
  filename: dataset.filename,
  format: dataset.format,
  size: dataset.size,
  row_count: dataset.rowCount,
  columns: dataset.columns,
  ground_truth: dataset.groundTruth,
  run_id: dataset.runId,
  generated: dataset.generated,
  generated_by: dataset.generatedBy,
  tags: dataset.tags,
  source: dataset.source,
  created_at: rfc3339(dataset.createdAt),
});
