import { Type } from 'typebox';
import { answerOf } from '#serve/http/openapi/describe.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { oneOf } from '#serve/http/schemas.ts';
import { API } from '../http/parts.ts';
import { pageOfList, SEARCH_PARAMETERS } from '../http/lists.ts';
import { dataset, datasetChanges, datasetDownload, datasetImport, datasets } from './schemas.ts';
import { KEY_ERRORS, LAB_BODY_ERRORS, noContent } from '../http/operations.ts';

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
  tags: ['release'],
  source: null,
  created_at: '2026-01-01T00:00:00Z',
};

const SHARED = { tag: 'Datasets', errors: KEY_ERRORS } as const;
const DATASET_ID = { name: 'dataset_id', description: 'Dataset id.', example: ID };

export const DATASET_OPERATIONS: readonly Operation[] = [
  {
    ...SHARED,
    method: 'post',
    path: `${API}/datasets/`,
    id: 'uploadDataset',
    summary: 'Upload a dataset as CSV, JSON lines or Parquet.',
    description:
      'The column `examples` has the texts, `ground_truth` the expected answers. In a form, the extension of the file name determines the format. The body can also be the file itself: then its content type determines the format, and the query parameters `filename` and `columns` set its name and the names of its columns.',
    request: {
      mediaType: 'multipart/form-data',
      schema: Type.Object({
        dataset: Type.String({ format: 'binary' }),
        format: Type.Literal('job'),
        columns: Type.Optional(
          Type.String({ description: 'JSON object with new names of columns, in front of `dataset`.' }),
        ),
      }),
      examples: { form: { dataset: 'examples,ground_truth\nGood,POSITIVE\n', format: 'job' } },
    },
    answer: {
      ...answerOf('The dataset.', dataset, DATASET),
      headers: [{ name: 'Location', description: 'Path of the dataset.', type: 'string' }],
    },
    statuses: [201],
    errors: [400, 413, 415, 422, ...KEY_ERRORS],
  },
  {
    ...SHARED,
    method: 'post',
    path: `${API}/datasets/import`,
    id: 'importDataset',
    summary: 'Import a dataset from a URL, from the Hugging Face Hub or from an S3-compatible store.',
    description:
      'The answer comes when all rows are stored. Private addresses require the master key, unless the configuration trusts users.',
    request: {
      schema: datasetImport,
      examples: {
        url: { source: 'https://example.com/reviews.csv', columns: { examples: 'text' } },
        hub: { source: 'hf:cornell-movie-review-data/rotten_tomatoes', hf: { split: 'test' } },
        s3: {
          source: 's3://bucket/reviews.parquet',
          s3: { region: 'eu-central-1', access_key_id: 'AKIA…', secret_key_name: 'aws' },
        },
      },
    },
    answer: {
      ...answerOf('The dataset.', dataset, { ...DATASET, source: 'https://example.com/reviews.csv' }),
      headers: [{ name: 'Location', description: 'Path of the dataset.', type: 'string' }],
    },
    statuses: [201],
    errors: [...LAB_BODY_ERRORS, ...KEY_ERRORS],
  },
  {
    ...SHARED,
    path: `${API}/datasets/`,
    id: 'listDatasets',
    summary: 'List datasets, newest first.',
    ...pageOfList({
      schema: datasets,
      example: { total: 1, items: [DATASET] },
      parameters: SEARCH_PARAMETERS,
    }),
  },
  {
    ...SHARED,
    method: 'get',
    path: `${API}/datasets/{dataset_id}`,
    id: 'getDataset',
    summary: 'Get a dataset.',
    parameters: [DATASET_ID],
    answer: answerOf('The dataset.', dataset, DATASET),
    errors: KEY_ERRORS,
  },
  {
    ...SHARED,
    method: 'patch',
    path: `${API}/datasets/{dataset_id}`,
    id: 'updateDataset',
    summary: 'Change the name or the tags of a dataset.',
    parameters: [DATASET_ID],
    request: { schema: datasetChanges, examples: { tags: { tags: ['release'] } } },
    answer: answerOf('The dataset.', dataset, DATASET),
    errors: [...LAB_BODY_ERRORS, ...KEY_ERRORS],
  },
  {
    ...SHARED,
    method: 'delete',
    path: `${API}/datasets/{dataset_id}`,
    id: 'deleteDataset',
    summary: 'Delete a dataset that no experiment uses.',
    parameters: [DATASET_ID],
    answer: noContent('The dataset is deleted.'),
    errors: [409, ...KEY_ERRORS],
  },
  {
    ...SHARED,
    method: 'get',
    path: `${API}/datasets/{dataset_id}/download`,
    id: 'downloadDataset',
    summary: 'Get URLs to download the rows.',
    parameters: [
      DATASET_ID,
      {
        name: 'extension',
        in: 'query',
        description: 'File format.',
        example: 'csv',
        schema: oneOf(['csv', 'jsonl', 'parquet'], { default: 'csv' }),
      },
    ],
    answer: answerOf('The URLs.', datasetDownload, {
      id: ID,
      download_urls: [`http://127.0.0.1:8000${API}/artifacts/${ID}.csv?expires=1767225600&sig=abc`],
    }),
    errors: [422, ...KEY_ERRORS],
  },
];
