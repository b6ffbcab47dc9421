import { parseJsonText } from '#core/json/json-text.ts';
import type { DatasetRow } from '../../store/workflow-schema.ts';
import type { Dataset } from './dataset.ts';
import { ownerIn } from '../../store/space-columns.ts';

export const datasetOf = (row: DatasetRow): Dataset => ({
  id: row.id,
  filename: row.filename,
  format: 'job',
  size: row.size,
  rowCount: row.row_count,
  columns: listOf(parseJsonText(row.columns)),
  groundTruth: row.ground_truth === 1,
  runId: row.run_id,
  generated: row.generated === 1,
  generatedBy: row.generated_by,
  owner: ownerIn(row),
  tags: listOf(parseJsonText(row.tags)),
  source: row.source,
  createdAt: row.created_at,
});

/** Columns of a dataset before its first row. */
export const UNFINISHED = {
  format: 'job',
  size: 0,
  row_count: 0,
  columns: '[]',
  /** Set to 0 by the first row without a ground truth. */
  ground_truth: 1,
  run_id: null,
  generated: 0,
  generated_by: null,
  complete: 0,
  tags: '[]',
  source: null,
} as const;

const listOf = (json: unknown): readonly string[] => (Array.isArray(json) ? json : []);
