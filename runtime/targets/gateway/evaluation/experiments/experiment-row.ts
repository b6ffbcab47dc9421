import type { Selectable } from 'kysely';
import { parseJsonText } from '#core/json/json-text.ts';
import type { Schema } from '../../store/schema.ts';
import type { TaskDefinition } from '../work/work.ts';
import type { Experiment } from './experiment.ts';
import { ownerIn } from '../../store/space-columns.ts';

export const experimentOf = (row: Selectable<Schema['gateway_experiments']>): Experiment => ({
  id: row.id,
  name: row.name,
  description: row.description,
  datasetId: row.dataset_id,
  maxSamples: row.max_samples,
  task: parseJsonText(row.task) as TaskDefinition,
  owner: ownerIn(row),
  tags: parseJsonText(row.tags) as readonly string[],
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});
