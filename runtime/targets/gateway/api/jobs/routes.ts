import { AppError } from '#contract/errors.ts';
import { isOver } from '../../evaluation/jobs/job-row.ts';
import type { GatewayContext } from '../../context.ts';
import type { Job } from '../../evaluation/jobs/job.ts';
import { jobLog } from '../../evaluation/workflows/workflow-logs.ts';
import { API, type GatewayRoutes, type HttpParts, newRoutes } from '../http/parts.ts';
import { evaluationJobIn, inferenceJobIn, type JobCaller } from './job-request.ts';
import { modelCheckFor } from '../sign-in/model-check.ts';
import { pageOf } from '../http/lists.ts';
import { newAnnotationJob, newEvaluationJob, newInferenceJob } from './schemas.ts';
import { retryIn } from '../workflows/retry-request.ts';
import { rowsAnswer } from '../workflows/rows-answer.ts';
import { retryRequest } from '../workflows/schemas.ts';
import { callerOf } from '../sign-in/sign-in.ts';
import { datasetView } from '../datasets/view.ts';
import { JOB_TYPES, jobView, rayJobView } from './view.ts';
import { viewOf } from '../sign-in/lab-guard.ts';
import { JOB_OPERATIONS } from './operations.ts';
import type { Context } from 'hono';
import type { ShellEnv } from '#serve/http/request-id.ts';
import { entriesOf } from '#core/values/keys.ts';

/** `/api/v1/jobs`: jobs of workflows, and single jobs. */
export function jobRoutes(
  { jobs, singleJobs, state }: Pick<GatewayContext, 'jobs' | 'singleJobs' | 'state'>,
  {
    labGuard,
    readBody,
    readOptionalBody,
    absoluteUrl,
  }: Pick<HttpParts, 'labGuard' | 'readBody' | 'readOptionalBody' | 'absoluteUrl'>,
): GatewayRoutes {
  const { queue, datasets, artifacts } = jobs;
  const routes = newRoutes();
  const jobCaller = async (c: Context<ShellEnv>): Promise<JobCaller> => ({
    ...viewOf(c),
    assertModelAllowed: await modelCheckFor(state, callerOf(c)),
  });
  const created = (c: Context<ShellEnv>, job: Job): Response =>
    c.json(jobView(job), 201, { Location: `${API}/jobs/${job.id}` });

  routes.post(`${API}/jobs/inference`, labGuard, async (c) =>
    created(
      c,
      await singleJobs.infer(inferenceJobIn(await readBody(c, newInferenceJob), await jobCaller(c))),
    ),
  );
  routes.post(`${API}/jobs/annotate`, labGuard, async (c) =>
    created(
      c,
      await singleJobs.infer(inferenceJobIn(await readBody(c, newAnnotationJob), await jobCaller(c))),
    ),
  );
  routes.post(`${API}/jobs/evaluator`, labGuard, async (c) =>
    created(
      c,
      await singleJobs.evaluate(evaluationJobIn(await readBody(c, newEvaluationJob), await jobCaller(c))),
    ),
  );
  routes.get(`${API}/jobs`, labGuard, async (c) => {
    const types = c.req.queries('job_types')?.flatMap((value) => value.split(','));
    const filter = types === undefined ? {} : { types: types.map(typeOf) };
    const { total, items } = await queue.list(viewOf(c).viewer, filter, pageOf(c));
    return c.json({ total, items: items.map(jobView) });
  });
  const find = (c: Context<ShellEnv>, id: string): Promise<Job> => queue.get(viewOf(c).viewer, id);
  routes.get(`${API}/jobs/:id`, labGuard, async (c) => c.json(jobView(await find(c, c.req.param('id')))));
  // Clients of Lumigator ask Ray whether a job has ended.
  routes.get('/api/jobs/:id', labGuard, async (c) => c.json(rayJobView(await find(c, c.req.param('id')))));
  routes.get(`${API}/jobs/:id/logs`, labGuard, async (c) =>
    c.json({ logs: await jobLog(queue, (await find(c, c.req.param('id'))).id) }),
  );
  routes.post(`${API}/jobs/:id/cancel`, labGuard, async (c) => {
    const { id, status } = await find(c, c.req.param('id'));
    if (isOver(status))
      throw new AppError('ConflictError', `Job ${id} is not running: its status is ${status}.`);
    await queue.cancel(id);
    await queue.stopped(id, STOP_MS);
    return c.json(jobView(await find(c, id)));
  });
  routes.post(`${API}/jobs/:id/retry`, labGuard, async (c) => {
    const changes = retryIn(await readOptionalBody(c, retryRequest));
    return c.json(jobView(await singleJobs.retry(viewOf(c), c.req.param('id'), changes)));
  });
  routes.get(`${API}/jobs/:id/rows`, labGuard, async (c) =>
    rowsAnswer(c, jobs, await find(c, c.req.param('id'))),
  );
  routes.get(`${API}/jobs/:id/result`, labGuard, async (c) => {
    const { id, result } = succeeded(await find(c, c.req.param('id')));
    const { metrics = {}, parameters = null, details = null } = result ?? {};
    return c.json({ id, metrics, parameters, details });
  });
  routes.get(`${API}/jobs/:id/dataset`, labGuard, async (c) =>
    c.json(datasetView(await datasets.get(viewOf(c).viewer, outputOf(await find(c, c.req.param('id')))))),
  );
  routes.get(`${API}/jobs/:id/result/download`, labGuard, async (c) => {
    const job = succeeded(await find(c, c.req.param('id')));
    const file = job.spec.type === 'evaluation' ? `${job.id}.scores` : `${outputOf(job)}.csv`;
    return c.json({ id: job.id, download_url: absoluteUrl(c, await artifacts.address(file)) });
  });

  return { routes, operations: JOB_OPERATIONS };
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
