import type { Context } from 'hono';
import type { Static } from 'typebox';
import { AppError } from '#contract/errors.ts';
import { rfc3339 } from '#core/time/rfc3339.ts';
import { entriesOf } from '#core/values/keys.ts';
import { answerOf } from '#serve/http/openapi/describe.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import type { ShellEnv } from '#serve/http/request-state.ts';
import type { Route } from '#serve/http/route.ts';
import type { GatewayContext } from '../context.ts';
import { isOver } from '../evaluation/jobs/job-row.ts';
import type { Job } from '../evaluation/jobs/job.ts';
import { jobLog } from '../evaluation/workflows/workflow-logs.ts';
import { dataset } from './datasets-schemas.ts';
import { DATASET, datasetView } from './datasets.ts';
import { viewOf, modelCheckFor, callerOf } from './guards.ts';
import { pageOfList, pageOf } from './http/lists.ts';
import { API, type HttpParts } from './http/parts.ts';
import { rfc3339OrNull } from './http/values.ts';
import { evaluationJobIn, inferenceJobIn, type JobCaller } from './job-request.ts';
import { rowsAnswer, ROWS, ROWS_FORMAT } from './job-rows.ts';
import {
  job,
  jobDownload,
  jobResult,
  jobList,
  newAnnotationJob,
  newEvaluationJob,
  newInferenceJob,
  rayJob,
} from './jobs-schemas.ts';
import { retryIn } from './workflow-request.ts';
import { logs, retryRequest } from './workflows-schemas.ts';

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
const ONE = { ...SHARED, parameters: [JOB_ID] } as const;
const POST = {
  ...SHARED,
  answer: {
    ...answerOf('The job. It starts automatically.', job, { ...JOB, status: 'created', start_time: null }),
    headers: [{ name: 'Location', description: 'Path of the job.', type: 'string' }],
  },
  statuses: [201],
} as const satisfies Partial<Operation>;

const MODEL = { provider: 'openai', model: 'gpt-5-mini' };

/** `/api/v1/jobs`: workflow jobs and single jobs. */
export function jobRoutes(
  { jobs, singleJobs, state }: Pick<GatewayContext, 'jobs' | 'singleJobs' | 'state'>,
  { guards, route, absoluteUrl }: HttpParts,
): readonly Route[] {
  const { queue, datasets, artifacts } = jobs;

  const jobCaller = async (c: Context<ShellEnv>): Promise<JobCaller> => ({
    ...viewOf(c),
    assertModelAllowed: await modelCheckFor(state, callerOf(c)),
  });
  const created = (c: Context<ShellEnv>, job: Job): Response =>
    c.json(jobView(job), 201, { Location: `${API}/jobs/${job.id}` });

  const find = (c: Context<ShellEnv>, id: string): Promise<Job> => queue.get(viewOf(c).viewer, id);

  return [
    route({
      method: 'post',
      path: `${API}/jobs/inference/`,
      guard: guards.evaluation,
      ...POST,
      id: 'createInferenceJob',
      summary: 'Create a job that runs a model on a dataset. Its outputs become a new dataset.',
      request: {
        schema: newInferenceJob,
        examples: {
          job: { name: 'summaries', dataset: DATASET.id, job_config: { job_type: 'inference', ...MODEL } },
        },
      },
      run: async (c, body) => created(c, await singleJobs.infer(inferenceJobIn(body, await jobCaller(c)))),
    }),
    route({
      method: 'post',
      path: `${API}/jobs/annotate/`,
      guard: guards.evaluation,
      ...POST,
      id: 'createAnnotationJob',
      summary: 'Create a job that generates a dataset’s ground truth with a model.',
      request: {
        schema: newAnnotationJob,
        examples: {
          job: { name: 'truth', dataset: DATASET.id, job_config: { job_type: 'annotate', ...MODEL } },
        },
      },
      run: async (c, body) => created(c, await singleJobs.infer(inferenceJobIn(body, await jobCaller(c)))),
    }),
    route({
      method: 'post',
      path: `${API}/jobs/evaluator/`,
      guard: guards.evaluation,
      ...POST,
      id: 'createEvaluationJob',
      summary: 'Create a job that compares a dataset’s outputs with its ground truth.',
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
      run: async (c, body) =>
        created(c, await singleJobs.evaluate(evaluationJobIn(body, await jobCaller(c)))),
    }),
    route({
      method: 'get',
      path: `${API}/jobs/`,
      guard: guards.evaluation,
      ...SHARED,
      id: 'listJobs',
      summary: 'List jobs, newest first.',
      ...pageOfList({
        schema: jobList,
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
      run: async (c) => {
        const types = c.req.queries('job_types')?.flatMap((value) => value.split(','));
        const filter = types === undefined ? {} : { types: types.map(typeOf) };
        const { total, items } = await queue.list(viewOf(c).viewer, filter, pageOf(c));
        return { total, items: items.map(jobView) };
      },
    }),
    route({
      method: 'get',
      path: `${API}/jobs/:id`,
      guard: guards.evaluation,
      ...ONE,
      id: 'getJob',
      summary: 'Get a job.',
      answer: answerOf('The job.', job, JOB),
      run: async (c) => jobView(await find(c, c.req.param('id'))),
    }),
    // Lumigator clients call Ray's API to find out whether a job has ended.
    route({
      method: 'get',
      path: '/api/jobs/:id',
      guard: guards.evaluation,
      ...ONE,
      id: 'getRayJob',
      summary: 'Get a job’s status in Ray’s format, for Lumigator clients that wait for a job.',
      answer: answerOf('The status.', rayJob, {
        submission_id: ID,
        type: 'SUBMISSION',
        status: 'RUNNING',
        message: null,
      }),
      run: async (c) => rayJobView(await find(c, c.req.param('id'))),
    }),
    route({
      method: 'get',
      path: `${API}/jobs/:id/logs`,
      guard: guards.evaluation,
      ...ONE,
      id: 'getJobLogs',
      summary: 'Get the log of a job.',
      answer: answerOf('The log.', logs, { logs: '2026-01-01T00:00:00Z INFO The model is ready.' }),
      run: async (c) => ({ logs: await jobLog(queue, (await find(c, c.req.param('id'))).id) }),
    }),
    route({
      method: 'get',
      path: `${API}/jobs/:id/result`,
      guard: guards.evaluation,
      ...ONE,
      id: 'getJobResult',
      summary: 'Get the result of a job that has succeeded.',
      answer: answerOf('The result.', jobResult, {
        id: ID,
        metrics: { avg_total_tokens: 72 },
        parameters: {},
        details: {},
      }),
      errors: [409],
      run: async (c) => {
        const { id, result } = succeeded(await find(c, c.req.param('id')));
        const { metrics = {}, parameters = null, details = null } = result ?? {};
        return { id, metrics, parameters, details };
      },
    }),
    route({
      method: 'get',
      path: `${API}/jobs/:id/dataset`,
      guard: guards.evaluation,
      ...ONE,
      id: 'getJobDataset',
      summary: 'Get the dataset that a job wrote.',
      answer: answerOf('The dataset.', dataset, { ...DATASET, generated: true }),
      errors: [409],
      run: async (c) =>
        datasetView(await datasets.get(viewOf(c).viewer, outputOf(await find(c, c.req.param('id'))))),
    }),
    route({
      method: 'get',
      path: `${API}/jobs/:id/result/download`,
      guard: guards.evaluation,
      ...ONE,
      id: 'downloadJobResult',
      summary: 'Get a URL to download the rows of a job.',
      answer: answerOf('The URL.', jobDownload, {
        id: ID,
        download_url: `http://127.0.0.1:8000${API}/artifacts/${DATASET.id}.csv?expires=1767225600&sig=abc`,
      }),
      errors: [409],
      run: async (c) => {
        const job = succeeded(await find(c, c.req.param('id')));
        const file = job.spec.type === 'evaluation' ? `${job.id}.scores` : `${outputOf(job)}.csv`;
        return { id: job.id, download_url: absoluteUrl(c, await artifacts.address(file)) };
      },
    }),
    route({
      method: 'post',
      path: `${API}/jobs/:id/cancel`,
      isRepeatable: true,
      guard: guards.evaluation,
      ...ONE,
      id: 'cancelJob',
      summary: 'Stop a job.',
      answer: answerOf('The job.', job, { ...JOB, status: 'stopped' }),
      errors: [409],
      run: async (c) => {
        const { id, status } = await find(c, c.req.param('id'));
        if (isOver(status))
          throw new AppError('ConflictError', `Job ${id} is not running: its status is ${status}.`);
        await queue.cancel(id);
        await queue.stopped(id, STOP_MS);
        return jobView(await find(c, id));
      },
    }),
    route({
      method: 'post',
      path: `${API}/jobs/:id/retry`,
      guard: guards.evaluation,
      ...ONE,
      id: 'retryJob',
      summary: 'Retry a job that has failed or has failed rows.',
      description:
        'Existing responses are kept. The body can change some settings. To retry a workflow’s jobs, retry the workflow.',
      request: {
        schema: retryRequest,
        optional: true,
        examples: { slower: { batch_size: 4, max_error_rate: 0.05 } },
      },
      answer: answerOf('The job.', job, { ...JOB, status: 'created' }),
      errors: [409],
      run: async (c, body) => {
        const changes = retryIn(body);
        return jobView(await singleJobs.retry(viewOf(c), c.req.param('id'), changes));
      },
    }),
    route({
      method: 'get',
      path: `${API}/jobs/:id/rows`,
      guard: guards.evaluation,
      ...ONE,
      ...ROWS,
      id: 'getJobRows',
      summary: 'Get the rows that a job has written so far.',
      parameters: [...ONE.parameters, ROWS_FORMAT],
      run: async (c) => rowsAnswer(c, jobs, await find(c, c.req.param('id'))),
    }),
  ];
}

const STOP_MS = 10_000;

function typeOf(word: string): string {
  const [, type] = entriesOf<string, string>(JOB_TYPES).find(([name]) => name === word) ?? [];
  if (type !== undefined) return type;
  const message = `job_types must be one or more of ${Object.keys(JOB_TYPES).join(', ')}, not ${JSON.stringify(word.slice(0, 100))}`;
  throw new AppError('InputError', message, {
    details: [{ location: 'query.job_types', message, rule: 'enum' }],
  });
}

function succeeded(job: Job): Job {
  if (job.status === 'succeeded') return job;
  throw new AppError(
    'ConflictError',
    `Job ${job.id} is ${job.status}. Its result is available once it has succeeded.`,
    {
      reason: 'results_not_available',
    },
  );
}

function outputOf(job: Job): string {
  const { outputId, spec } = succeeded(job);
  if (outputId !== null && spec.type !== 'evaluation') return outputId;
  throw new AppError('NotFoundError', `Job ${job.id} does not write a dataset.`);
}

/** Job types, by their names in requests. */
const JOB_TYPES = { inference: 'inference', annotate: 'annotate', evaluator: 'evaluation' } as const;

const typeName = ({ spec }: Job): keyof typeof JOB_TYPES =>
  spec.type === 'evaluation' ? 'evaluator' : spec.type;

/** A job's status in the Ray API's format, which has no status for queued jobs. */
const rayJobView = ({ id, status, error }: Job): Static<typeof rayJob> => ({
  submission_id: id,
  type: 'SUBMISSION',
  status: RAY_STATUSES[status],
  message: error,
});

const RAY_STATUSES = {
  created: 'PENDING',
  pending: 'PENDING',
  running: 'RUNNING',
  succeeded: 'SUCCEEDED',
  failed: 'FAILED',
  stopped: 'STOPPED',
} as const;

const jobView = (job: Job) => ({
  id: job.id,
  job_id: job.id,
  name: job.name,
  description: job.description,
  type: typeName(job),
  job_type: typeName(job),
  status: job.status,
  dataset: job.datasetId,
  workflow_id: job.workflowId,
  total_rows: job.totalRows,
  done_rows: job.doneRows,
  failed_rows: job.failedRows,
  prompt_tokens: job.promptTokens,
  completion_tokens: job.completionTokens,
  error: job.error,
  queued_reason: job.queuedReason,
  workers: job.workers,
  created_at: rfc3339(job.createdAt),
  start_time: rfc3339OrNull(job.startedAt),
  end_time: rfc3339OrNull(job.endedAt),
});
