import { answerOf } from '../../../../serve/http/openapi/describe.ts';
import type { Operation } from '../../../../serve/http/openapi/operation.ts';
import { BODY_ERRORS } from '../../../../serve/http/openapi/statuses.ts';
import { API } from '../http/api-path.ts';
import { PAGE_PARAMETERS } from '../http/page.ts';
import { dataset } from '../datasets/schemas.ts';
import {
  job,
  jobDownload,
  jobResult,
  jobs,
  newAnnotationJob,
  newEvaluationJob,
  newInferenceJob,
} from './schemas.ts';
import { logs, retryRequest } from '../workflows/schemas.ts';
import { DATASET } from '../datasets/operations.ts';
import { KEY_ERRORS } from '../http/operations.ts';
import { ROWS, ROWS_FORMAT } from '../workflows/rows-operation.ts';

const ID = '3f0c9a55-6f0b-4f43-9a5c-7f8f1f2b7f11';
const JOB = {
  id: ID,
  name: 'summaries',
  description: '',
  type: 'inference',
  status: 'running',
  dataset: DATASET.id,
  workflow_id: null,
  total_rows: 1000,
  done_rows: 64,
  failed_rows: 0,
  prompt_tokens: 4096,
  completion_tokens: 512,
  error: null,
  queued_reason: null,
  created_at: '2026-01-01T00:00:00Z',
  start_time: '2026-01-01T00:00:00.5Z',
  end_time: null,
};

const SHARED = { tag: 'Jobs' } as const;
const JOB_ID = { name: 'job_id', description: 'The job’s id.', example: ID };
const GET = { ...SHARED, method: 'get', parameters: [JOB_ID], errors: KEY_ERRORS } as const;
const POST = {
  ...SHARED,
  method: 'post',
  answer: {
    ...answerOf('The job; it begins by itself.', job, { ...JOB, status: 'created', start_time: null }),
    headers: [{ name: 'Location', description: 'Where it is.', type: 'string' }],
  },
  statuses: [201],
  errors: [...BODY_ERRORS, ...KEY_ERRORS],
} as const satisfies Partial<Operation>;

const MODEL = { provider: 'openai', model: 'gpt-5-mini' };

export const JOB_OPERATIONS: readonly Operation[] = [
  {
    ...POST,
    path: `${API}/jobs/inference/`,
    id: 'createInferenceJob',
    summary: 'Lets a model answer; its answers become a dataset.',
    request: {
      schema: newInferenceJob,
      examples: {
        job: { name: 'summaries', dataset: DATASET.id, job_config: { job_type: 'inference', ...MODEL } },
      },
    },
  },
  {
    ...POST,
    path: `${API}/jobs/annotate/`,
    id: 'createAnnotationJob',
    summary: 'Lets a model write the ground truth of a dataset.',
    request: {
      schema: newAnnotationJob,
      examples: {
        job: { name: 'truth', dataset: DATASET.id, job_config: { job_type: 'annotate', ...MODEL } },
      },
    },
  },
  {
    ...POST,
    path: `${API}/jobs/evaluator/`,
    id: 'createEvaluationJob',
    summary: 'Compares answers that are in a dataset with its ground truth.',
    request: {
      schema: newEvaluationJob,
      examples: {
        job: {
          name: 'scores',
          dataset: DATASET.id,
          job_config: { job_type: 'evaluator', metrics: ['rouge'] },
        },
      },
    },
  },
  {
    ...SHARED,
    method: 'get',
    path: `${API}/jobs/`,
    id: 'listJobs',
    summary: 'Jobs, the newest first.',
    parameters: [
      {
        name: 'job_types',
        in: 'query',
        description: 'Only of these types, with commas between them or one after the other.',
        example: 'inference,evaluator',
      },
      ...PAGE_PARAMETERS,
    ],
    answer: answerOf('A part of the list.', jobs, { total: 1, items: [JOB] }),
    errors: [422, ...KEY_ERRORS],
  },
  {
    ...GET,
    path: `${API}/jobs/{job_id}`,
    id: 'getJob',
    summary: 'A job.',
    answer: answerOf('The job.', job, JOB),
  },
  {
    ...GET,
    path: `${API}/jobs/{job_id}/logs`,
    id: 'getJobLogs',
    summary: 'What a job said.',
    answer: answerOf('The log.', logs, { logs: '2026-01-01T00:00:00Z INFO The model is ready.' }),
  },
  {
    ...GET,
    path: `${API}/jobs/{job_id}/result`,
    id: 'getJobResult',
    summary: 'What a job came to that has succeeded.',
    answer: answerOf('The result.', jobResult, {
      id: ID,
      metrics: { avg_total_tokens: 72 },
      parameters: {},
      details: {},
    }),
    errors: [...GET.errors, 409],
  },
  {
    ...GET,
    path: `${API}/jobs/{job_id}/dataset`,
    id: 'getJobDataset',
    summary: 'The dataset that a job wrote.',
    answer: answerOf('The dataset.', dataset, { ...DATASET, generated: true }),
    errors: [...GET.errors, 409],
  },
  {
    ...GET,
    path: `${API}/jobs/{job_id}/result/download`,
    id: 'downloadJobResult',
    summary: 'Where the rows can be downloaded that a job wrote.',
    answer: answerOf('The address.', jobDownload, {
      id: ID,
      download_url: `http://127.0.0.1:8000${API}/artifacts/${DATASET.id}.csv?expires=1767225600&sig=abc`,
    }),
    errors: [...GET.errors, 409],
  },
  {
    ...GET,
    method: 'post',
    path: `${API}/jobs/{job_id}/cancel`,
    id: 'cancelJob',
    summary: 'Stops a job that is under way.',
    answer: answerOf('The job as it is now.', job, { ...JOB, status: 'stopped' }),
    errors: [...GET.errors, 409],
  },
  {
    ...GET,
    method: 'post',
    path: `${API}/jobs/{job_id}/retry`,
    id: 'retryJob',
    summary: 'Retries a job that has failed or has failed rows.',
    description:
      'Rows that have an answer keep it. The body can change some settings. A job of a workflow is retried with its workflow.',
    request: {
      schema: retryRequest,
      optional: true,
      examples: { slower: { batch_size: 4, max_error_rate: 0.05 } },
    },
    answer: answerOf('The job as it is now.', job, { ...JOB, status: 'created' }),
    errors: [...BODY_ERRORS, ...GET.errors, 409],
  },
  {
    ...GET,
    ...ROWS,
    path: `${API}/jobs/{job_id}/rows`,
    id: 'getJobRows',
    summary: 'The rows that a job has written so far.',
    parameters: [...GET.parameters, ROWS_FORMAT],
    errors: [...GET.errors, 422],
  },
];
