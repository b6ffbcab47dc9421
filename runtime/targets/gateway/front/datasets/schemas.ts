import { Type } from 'typebox';
import { closed, orNull } from '../../../../serve/http/schemas.ts';
import { count, time } from '../http/fields.ts';
import { pageSchema } from '../http/page-schemas.ts';

export const dataset = closed('Dataset', {
  id: Type.String(),
  filename: Type.String(),
  format: Type.Literal('job'),
  size: count('Size of the uploaded file in bytes.'),
  row_count: count(),
  columns: Type.Array(Type.String()),
  ground_truth: Type.Boolean({ description: 'Whether every row has a ground truth.' }),
  run_id: orNull(Type.String(), 'Id of the workflow whose answers these are.'),
  generated: Type.Boolean({ description: 'Whether a model generated the dataset.' }),
  generated_by: orNull(Type.String(), 'The model that generated it.'),
  created_at: time('Creation time.'),
});

export const datasets = pageSchema('Datasets', dataset);

export const datasetDownload = closed('DatasetDownload', {
  id: Type.String(),
  download_urls: Type.Array(Type.String({ format: 'uri' }), {
    description: 'Signed URLs. They need no credential and are valid for one hour.',
  }),
});
