import { answerOf } from '#serve/http/openapi/describe.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { WORKER_PATHS } from '../../evaluation/jobs/worker/protocol.ts';
import {
  workerAlive,
  workerAnswerKeys,
  workerAnswers,
  workerBatch,
  workerEnd,
  workerFailedRows,
  workerFoundAnswers,
  workerHeartbeat,
  workerJob,
  workerLeaseRequest,
  workerLeased,
  workerLines,
  workerPause,
  workerReplacement,
  workerRows,
  workerSecret,
  workerWritten,
} from './schemas.ts';
import { noContent } from '../http/operations.ts';
import { FILE_OPERATIONS } from './file-operations.ts';
import { WORKER_OPERATION } from './worker-operation.ts';

const POST = {
  ...WORKER_OPERATION,
  method: 'post',
  errors: [...WORKER_OPERATION.errors, 400, 408, 413, 415, 422],
} as const;
const GET = { ...WORKER_OPERATION, method: 'get' } as const;

const LEASE = { first_row: 0, epoch: 1 };
const FROM = {
  name: 'from',
  in: 'query',
  description: 'Index of the first row, from 0.',
  example: 64,
} as const;
const TO = {
  name: 'to',
  in: 'query',
  description: 'Index of the row after the last one (the number of rows of the job).',
  example: 128,
} as const;
const CHECKPOINT = { work: { rows: 2 }, first_error: null };
const ROWS = { first_row: 0, rows: [{ examples: 'fine', ground_truth: 'POSITIVE' }] };

const ANSWER_KEY = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
const ANSWER = {
  text: 'POSITIVE',
  reasoning: null,
  promptTokens: 21,
  completionTokens: 2,
  reasoningTokens: 0,
  latencyMs: 312.5,
};

export const WORKER_OPERATIONS: readonly Operation[] = [
  {
    ...GET,
    path: WORKER_PATHS.job,
    id: 'workerJob',
    summary: 'Get the job.',
    answer: answerOf('The job.', workerJob, {
      id: '3f0c9a55-6f0b-4f43-9a5c-7f8f1f2b7f11',
      spec: { type: 'inference' },
      total_rows: 10_000,
      trusted: true,
      shares_answers: true,
      lease_ms: 15_000,
    }),
  },
  ...FILE_OPERATIONS,
  {
    ...POST,
    path: WORKER_PATHS.ranges,
    id: 'workerLease',
    summary: 'Lease the next range of rows.',
    request: { schema: workerLeaseRequest, examples: { lease: {} } },
    answer: answerOf('The rows that this worker holds from now on.', workerLeased, {
      range: {
        ...LEASE,
        row_count: 250,
        next_row: 0,
        retry_row: null,
        checkpoint: null,
        checkpoints: null,
      },
    }),
  },
  {
    ...GET,
    path: WORKER_PATHS.rows,
    id: 'workerRows',
    summary: 'Get rows of the job.',
    parameters: [FROM, TO],
    answer: answerOf('A batch of rows; empty after the last row.', workerRows, ROWS),
    errors: [...WORKER_OPERATION.errors, 422],
  },
  {
    ...POST,
    path: WORKER_PATHS.batches,
    id: 'workerCommit',
    summary: 'Write the results of the next rows and the checkpoint, in one transaction.',
    request: {
      schema: workerBatch,
      examples: {
        batch: {
          range: LEASE,
          ...ROWS,
          failed: 0,
          prompt_tokens: 0,
          completion_tokens: 0,
          checkpoint: CHECKPOINT,
        },
      },
    },
    answer: answerOf(
      'The rows are written, by this request or by an earlier one with the same rows.',
      workerWritten,
      {
        failed_rows: 0,
      },
    ),
  },
  {
    ...GET,
    path: WORKER_PATHS.failedRows,
    id: 'workerFailedRows',
    summary: 'In a retry: get the next failed rows.',
    parameters: [FROM, TO],
    answer: answerOf('A batch of failed rows.', workerFailedRows, {
      numbers: [7],
      rows: ROWS.rows,
      next: null,
    }),
    errors: [...WORKER_OPERATION.errors, 422],
  },
  {
    ...POST,
    path: WORKER_PATHS.failedRows,
    id: 'workerReplace',
    summary: 'In a retry: replace failed rows by answers.',
    request: {
      schema: workerReplacement,
      examples: {
        rows: {
          range: LEASE,
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
    answer: answerOf(
      'The rows are written, by this request or by an earlier one with the same rows.',
      workerWritten,
      {
        failed_rows: 0,
      },
    ),
  },
  {
    ...POST,
    path: WORKER_PATHS.logs,
    id: 'workerLog',
    summary: 'Append lines to the log of the job.',
    request: {
      schema: workerLines,
      examples: { lines: { lines: [{ level: 'info', text: 'The model is ready.' }] } },
    },
    answer: noContent('The lines are written.'),
  },
  {
    ...POST,
    path: WORKER_PATHS.alive,
    id: 'workerAlive',
    summary: 'Renew the lease of a range, and check whether the job is cancelled.',
    request: { schema: workerHeartbeat, examples: { range: { range: LEASE } } },
    answer: answerOf('The worker still has its rows.', workerAlive, { cancelled: false }),
  },
  {
    ...POST,
    path: WORKER_PATHS.end,
    id: 'workerEnd',
    summary: 'End the job.',
    request: {
      schema: workerEnd,
      examples: { failed: { range: LEASE, status: 'failed', error: 'The encoder has no label POSITIVE.' } },
    },
    answer: noContent('The job has ended.'),
  },
  {
    ...POST,
    path: WORKER_PATHS.findAnswers,
    id: 'workerFindAnswers',
    summary: 'Get answers that an earlier request of the experiment got.',
    request: { schema: workerAnswerKeys, examples: { keys: { keys: [ANSWER_KEY] } } },
    answer: answerOf('The answers.', workerFoundAnswers, { answers: [ANSWER] }),
  },
  {
    ...POST,
    path: WORKER_PATHS.answers,
    id: 'workerKeepAnswers',
    summary: 'Keep answers for later requests of the experiment.',
    request: { schema: workerAnswers, examples: { answers: { answers: [{ key: ANSWER_KEY, ...ANSWER }] } } },
    answer: noContent('The answers are kept.'),
  },
  {
    ...POST,
    path: WORKER_PATHS.pause,
    id: 'workerPause',
    summary: 'Put the job back into the queue for some seconds.',
    request: {
      schema: workerPause,
      examples: { budget: { reason: "Paused: User 'ann' has exceeded budget limit.", seconds: 30 } },
    },
    answer: noContent('The job is queued.'),
  },
  {
    ...GET,
    path: `${WORKER_PATHS.secrets}/{name}`,
    id: 'workerSecret',
    summary: 'Get a secret that the job uses.',
    parameters: [{ name: 'name', description: 'Name of the secret.', example: 'openai' }],
    answer: answerOf('The value of the secret.', workerSecret, { value: 'sk-…' }),
    errors: [...WORKER_OPERATION.errors, 403, 404],
  },
];
