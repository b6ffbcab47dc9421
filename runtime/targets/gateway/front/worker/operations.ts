import { answerOf } from '../../../../serve/http/openapi/describe.ts';
import type { Operation } from '../../../../serve/http/openapi/operation.ts';
import { WORKER_PATHS } from '../../lab/jobs/worker/protocol.ts';
import {
  workerAlive,
  workerBatch,
  workerEnd,
  workerFailedRows,
  workerJob,
  workerLines,
  workerReplacement,
  workerRows,
  workerSecret,
} from './schemas.ts';
import { noContent, STORE_ERRORS } from '../http/operations.ts';

const SHARED = {
  tag: 'Workers',
  description: 'Needs the token that a worker is started with; it is good while the worker has its job.',
  errors: [401, 409, ...STORE_ERRORS],
} as const satisfies Partial<Operation>;
const POST = { ...SHARED, method: 'post', errors: [...SHARED.errors, 400, 408, 413, 415, 422] } as const;
const GET = { ...SHARED, method: 'get' } as const;

const CHECKPOINT = { work: { rows: 2 }, first_error: null };
const ROWS = { first_row: 0, rows: [{ examples: 'fine', ground_truth: 'POSITIVE' }] };

export const WORKER_OPERATIONS: readonly Operation[] = [
  {
    ...GET,
    path: WORKER_PATHS.job,
    id: 'workerJob',
    summary: 'What there is to do, and where to go on.',
    answer: answerOf('The job.', workerJob, {
      id: '3f0c9a55-6f0b-4f43-9a5c-7f8f1f2b7f11',
      spec: { type: 'inference' },
      total_rows: 10_000,
      done_rows: 64,
      failed_rows: 0,
      retry_row: null,
      checkpoint: CHECKPOINT,
      trusted: true,
      lease_ms: 15_000,
    }),
  },
  {
    ...GET,
    path: WORKER_PATHS.rows,
    id: 'workerRows',
    summary: 'The next rows of the job.',
    parameters: [{ name: 'from', in: 'query', description: 'The first one, counted from 0.', example: 64 }],
    answer: answerOf('As many as are good to send at once; none behind the last one.', workerRows, ROWS),
    errors: [...SHARED.errors, 422],
  },
  {
    ...POST,
    path: WORKER_PATHS.batches,
    id: 'workerCommit',
    summary: 'Writes what the next rows came to, and where to go on: both or neither.',
    request: {
      schema: workerBatch,
      examples: {
        batch: { ...ROWS, failed: 0, prompt_tokens: 0, completion_tokens: 0, checkpoint: CHECKPOINT },
      },
    },
    answer: noContent('They are written, now or when they were sent before.'),
  },
  {
    ...GET,
    path: WORKER_PATHS.failedRows,
    id: 'workerFailedRows',
    summary: 'In a retry: the next rows that the model failed for.',
    parameters: [{ name: 'from', in: 'query', description: 'The first one, counted from 0.', example: 0 }],
    answer: answerOf('Some of them.', workerFailedRows, { numbers: [7], rows: ROWS.rows, next: null }),
    errors: [...SHARED.errors, 422],
  },
  {
    ...POST,
    path: WORKER_PATHS.failedRows,
    id: 'workerReplace',
    summary: 'In a retry: writes answers in place of failed rows.',
    request: {
      schema: workerReplacement,
      examples: {
        rows: {
          from: 0,
          next: null,
          numbers: [7],
          rows: ROWS.rows,
          failed: 0,
          prompt_tokens: 0,
          completion_tokens: 0,
          checkpoint: CHECKPOINT,
        },
      },
    },
    answer: noContent('They are written, now or when they were sent before.'),
  },
  {
    ...POST,
    path: WORKER_PATHS.logs,
    id: 'workerLog',
    summary: 'Adds lines to the log of the job.',
    request: {
      schema: workerLines,
      examples: { lines: { lines: [{ level: 'info', text: 'The model is ready.' }] } },
    },
    answer: noContent('They are written.'),
  },
  {
    ...GET,
    path: WORKER_PATHS.alive,
    id: 'workerAlive',
    summary: 'Whether the worker still has its job, and whether anyone wants it to stop.',
    answer: answerOf('It has.', workerAlive, { cancelled: false }),
  },
  {
    ...POST,
    path: WORKER_PATHS.end,
    id: 'workerEnd',
    summary: 'Ends the job.',
    request: {
      schema: workerEnd,
      examples: { failed: { status: 'failed', error: 'The encoder has no label POSITIVE.' } },
    },
    answer: noContent('It has ended.'),
  },
  {
    ...GET,
    path: `${WORKER_PATHS.secrets}/{name}`,
    id: 'workerSecret',
    summary: 'A secret that the job names.',
    parameters: [{ name: 'name', description: 'Of the secret.', example: 'openai' }],
    answer: answerOf('Its value.', workerSecret, { value: 'sk-…' }),
    errors: [...SHARED.errors, 403, 404],
  },
];
