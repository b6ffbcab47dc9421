import { answerOf } from '#serve/http/openapi/describe.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { API } from '../http/parts.ts';
import { pageOfList } from '../http/lists.ts';
import { dataset } from '../datasets/schemas.ts';
import {
  job,
  jobDownload,
  jobResult,
  jobs,
  newAnnotationJob,
  newEvaluationJob,
  newInferenceJob,
  rayJob,
} from './schemas.ts';
import { logs, retryRequest } from '../workflows/schemas.ts';
import { DATASET } from '../datasets/operations.ts';
import { KEY_ERRORS, LAB_BODY_ERRORS } from '../http/operations.ts';
import { ROWS, ROWS_FORMAT } from '../workflows/rows-operation.ts';

const ID = '3f0c9a55-6f0b-4f43-9a5c-7f8f1f2b7f11';
const JOB = {
  id: ID,
  job_id: ID,
  name: 'summaries',
  description: '',
  type: 'inference',
  job_type: 'inference',
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
  workers: 2,
  created_at: '2026-01-01T00:00:00Z',
  start_time: '2026-01-01T00:00:00.5Z',
  end_time: null,
};

const SHARED = { tag: 'Jobs' } as const;
const JOB_ID = { name: 'job_id', description: 'Job id.', example: ID };
const GET = { ...SHARED, method: 'get', parameters: [JOB_ID], errors: KEY_ERRORS } as const;
const POST = {
  ...SHARED,
  method: 'post',
  answer: {
    ...answerOf('The job. It starts automatically.', job, { ...JOB, status: 'created', start_time: null }),
    headers: [{ name: 'Location', description: 'Path of the job.', type: 'string' }],
  },
  statuses: [201],
  errors: [...LAB_BODY_ERRORS, ...KEY_ERRORS],
} as const satisfies Partial<Operation>;

const MODEL = { provider: 'openai', model: 'gpt-5-mini' };

export const JOB_OPERATIONS: readonly Operation[] = [
  {
    ...POST,
    path: `${API}/jobs/inference/`,
    id: 'createInferenceJob',
    summary: 'Create a job that runs a model on a dataset. Its answers become a new dataset.',
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
    summary: 'Create a job that writes the ground truth of a dataset with a model.',
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
    summary: 'Create a job that compares the answers in a dataset with its ground truth.',
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
    path: `${API}/jobs/`,
    id: 'listJobs',
    summary: 'List jobs, newest first.',
    ...pageOfList({
      schema: jobs,
      example: { total: 1, items: [JOB] },
      parameters: [
        {
          name: 'job_types',
          in: 'query',
          isList: true,
          description: 'Only jobs of these types; comma-separated or repeated.',
          example: 'inference,evaluator',
        },
      ],
    }),
  },
  {
    ...GET,
    path: `${API}/jobs/{job_id}`,
    id: 'getJob',
    summary: 'Get a job.',
    answer: answerOf('The job.', job, JOB),
  },
  {
    ...GET,
    path: '/api/jobs/{job_id}',
    id: 'getRayJob',
    summary: 'Get the status of a job as Ray returns it, for clients of Lumigator that wait for a job.',
    answer: answerOf('The status.', rayJob, {
      submission_id: ID,
      type: 'SUBMISSION',
      status: 'RUNNING',
      message: null,
    }),
  },
  {
    ...GET,
    path: `${API}/jobs/{job_id}/logs`,
    id: 'getJobLogs',
    summary: 'Get the log of a job.',
    answer: answerOf('The log.', logs, { logs: '2026-01-01T00:00:00Z INFO The model is ready.' }),
  },
  {
    ...GET,
    path: `${API}/jobs/{job_id}/result`,
    id: 'getJobResult',
    summary: 'Get the result of a job that has succeeded.',
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
    summary: 'Get the dataset that a job has written.',
    answer: answerOf('The dataset.', dataset, { ...DATASET, generated: true }),
    errors: [...GET.errors, 409],
  },
  {
    ...GET,
    path: `${API}/jobs/{job_id}/result/download`,
    id: 'downloadJobResult',
    summary: 'Get a URL to download the rows of a job.',
    answer: answerOf('The URL.', jobDownload, {
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
    summary: 'Stop a job.',
    answer: answerOf('The job.', job, { ...JOB, status: 'stopped' }),
    errors: [...GET.errors, 409],
  },
  {
    ...GET,
    method: 'post',
    path: `${API}/jobs/{job_id}/retry`,
    id: 'retryJob',
    summary: 'Retry a job that has failed or has failed rows.',
    description:
      'Answered rows keep their answers. The body can change some settings. Jobs of a workflow are retried with the workflow.',
    request: {
      schema: retryRequest,
      optional: true,
      examples: { slower: { batch_size: 4, max_error_rate: 0.05 } },
    },
    answer: answerOf('The job.', job, { ...JOB, status: 'created' }),
    errors: [...LAB_BODY_ERRORS, ...GET.errors, 409],
  },
  {
    ...GET,
    ...ROWS,
    path: `${API}/jobs/{job_id}/rows`,
    id: 'getJobRows',
    summary: 'Get the rows that a job has written so far.',
    parameters: [...GET.parameters, ROWS_FORMAT],
    errors: [...GET.errors, 422],
  },
];
