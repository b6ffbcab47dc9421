import { Type } from 'typebox';
import { closed, orNull } from '../../../../serve/http/schemas.ts';
import { count, time } from '../http/fields.ts';
import { pageSchema } from '../http/page-schemas.ts';

export const dataset = closed('Dataset', {
  id: Type.String(),
  filename: Type.String(),
  format: Type.Literal('job'),
  size: count('Bytes, as uploaded.'),
  row_count: count(),
  columns: Type.Array(Type.String()),
  ground_truth: Type.Boolean({ description: 'Whether every row has one.' }),
  run_id: orNull(Type.String(), 'The workflow whose answers these are.'),
  generated: Type.Boolean({ description: 'Whether a model wrote it.' }),
  generated_by: orNull(Type.String(), 'Which one.'),
  created_at: time('When it was made.'),
});

export const datasets = pageSchema('Datasets', dataset);

export const datasetDownload = closed('DatasetDownload', {
  id: Type.String(),
  download_urls: Type.Array(Type.String({ format: 'uri' }), {
    description: 'They need no credential, and work for an hour.',
  }),
});
