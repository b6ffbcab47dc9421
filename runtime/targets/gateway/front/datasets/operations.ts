import { Type } from 'typebox';
import { answerOf } from '../../../../serve/http/openapi/describe.ts';
import type { Operation } from '../../../../serve/http/openapi/operation.ts';
import { oneOf } from '../../../../serve/http/schemas.ts';
import { API } from '../http/api-path.ts';
import { PAGE_PARAMETERS } from '../http/page.ts';
import { dataset, datasetDownload, datasets } from './schemas.ts';
import { KEY_ERRORS, noContent } from '../http/operations.ts';

const ID = 'b7f0c0a8-3d0c-4b7e-9d0f-0c7f3a1c2e55';
export const DATASET = {
  id: ID,
  filename: 'reviews.csv',
  format: 'job',
  size: 48_213,
  row_count: 1000,
  columns: ['examples', 'ground_truth'],
  ground_truth: true,
  run_id: null,
  generated: false,
  generated_by: null,
  created_at: '2026-01-01T00:00:00Z',
};

const SHARED = { tag: 'Datasets', errors: KEY_ERRORS } as const;
const DATASET_ID = { name: 'dataset_id', description: 'The dataset’s id.', example: ID };

export const DATASET_OPERATIONS: readonly Operation[] = [
  {
    ...SHARED,
    method: 'post',
    path: `${API}/datasets/`,
    id: 'uploadDataset',
    summary: 'Uploads rows: CSV, JSON lines or Parquet.',
    description:
      'The column `examples` holds the texts, `ground_truth` what the answers should be. The ending of the file’s name says what it is. Without a form the file is the body, its content type says what it is, and `filename` in the query how it is called.',
    request: {
      mediaType: 'multipart/form-data',
      schema: Type.Object({
        dataset: Type.String({ format: 'binary' }),
        format: Type.Literal('job'),
      }),
      examples: { form: { dataset: 'examples,ground_truth\nGood,POSITIVE\n', format: 'job' } },
    },
    answer: {
      ...answerOf('The dataset.', dataset, DATASET),
      headers: [{ name: 'Location', description: 'Where it is.', type: 'string' }],
    },
    statuses: [201],
    errors: [400, 413, 415, 422, ...KEY_ERRORS],
  },
  {
    ...SHARED,
    method: 'get',
    path: `${API}/datasets/`,
    id: 'listDatasets',
    summary: 'Datasets, the newest first.',
    parameters: PAGE_PARAMETERS,
    answer: answerOf('A part of the list.', datasets, { total: 1, items: [DATASET] }),
    errors: [422, ...KEY_ERRORS],
  },
  {
    ...SHARED,
    method: 'get',
    path: `${API}/datasets/{dataset_id}`,
    id: 'getDataset',
    summary: 'A dataset.',
    parameters: [DATASET_ID],
    answer: answerOf('The dataset.', dataset, DATASET),
    errors: KEY_ERRORS,
  },
  {
    ...SHARED,
    method: 'delete',
    path: `${API}/datasets/{dataset_id}`,
    id: 'deleteDataset',
    summary: 'Deletes a dataset that no experiment uses.',
    parameters: [DATASET_ID],
    answer: noContent('It is gone.'),
    errors: [409, ...KEY_ERRORS],
  },
  {
    ...SHARED,
    method: 'get',
    path: `${API}/datasets/{dataset_id}/download`,
    id: 'downloadDataset',
    summary: 'Where the rows can be downloaded.',
    parameters: [
      DATASET_ID,
      {
        name: 'extension',
        in: 'query',
        description: 'What they are written as.',
        example: 'csv',
        schema: oneOf(['csv', 'jsonl'], { default: 'csv' }),
      },
    ],
    answer: answerOf('Its addresses.', datasetDownload, {
      id: ID,
      download_urls: [`http://127.0.0.1:8000${API}/artifacts/${ID}.csv?expires=1767225600&sig=abc`],
    }),
    errors: [422, ...KEY_ERRORS],
  },
];
