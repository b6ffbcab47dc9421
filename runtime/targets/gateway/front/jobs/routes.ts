import { AppError } from '../../../../contract/errors.ts';
import { isOver } from '../../lab/jobs/job-row.ts';
import type { GatewayContext } from '../../context.ts';
import type { Job } from '../../lab/jobs/job.ts';
import { jobLog } from '../../lab/workflows/workflow-logs.ts';
import { absoluteUrl } from '../http/absolute-url.ts';
import { API } from '../http/api-path.ts';
import { evaluationJobIn, inferenceJobIn, type JobAsking } from './job-in.ts';
import { mayUseOf } from '../sign-in/may-use.ts';
import { pageOf } from '../http/page.ts';
import { type GatewayRoutes, type HttpParts, newRoutes } from '../http/parts.ts';
import { newAnnotationJob, newEvaluationJob, newInferenceJob } from './schemas.ts';
import { retryIn } from '../workflows/retry-in.ts';
import { rowsAnswer } from '../workflows/rows-answer.ts';
import { retryRequest } from '../workflows/schemas.ts';
import { callerOf } from '../sign-in/sign-in.ts';
import { datasetView } from '../datasets/view.ts';
import { JOB_TYPES, jobView } from './view.ts';
import { viewOf } from '../sign-in/work-guard.ts';
import { JOB_OPERATIONS } from './operations.ts';
import type { Context } from 'hono';
import type { ShellEnv } from '../../../../serve/http/request-id.ts';

/** `/api/v1/jobs`: what models are asked to do, of workflows and alone. */
export function jobRoutes(
  { jobs, singleJobs, state }: Pick<GatewayContext, 'jobs' | 'singleJobs' | 'state'>,
  { workGuard, readBody, readOptionalBody }: Pick<HttpParts, 'workGuard' | 'readBody' | 'readOptionalBody'>,
): GatewayRoutes {
  const { queue, datasets, artifacts } = jobs;
  const routes = newRoutes();
  const asking = async (c: Context<ShellEnv>): Promise<JobAsking> => ({
    ...viewOf(c),
    mayUse: await mayUseOf(state, callerOf(c)),
  });
  const created = (c: Context<ShellEnv>, job: Job): Response =>
    c.json(jobView(job), 201, { Location: `${API}/jobs/${job.id}` });

  routes.post(`${API}/jobs/inference`, workGuard, async (c) =>
    created(c, await singleJobs.infer(inferenceJobIn(await readBody(c, newInferenceJob), await asking(c)))),
  );
  routes.post(`${API}/jobs/annotate`, workGuard, async (c) =>
    created(c, await singleJobs.infer(inferenceJobIn(await readBody(c, newAnnotationJob), await asking(c)))),
  );
  routes.post(`${API}/jobs/evaluator`, workGuard, async (c) =>
    created(
      c,
      await singleJobs.evaluate(evaluationJobIn(await readBody(c, newEvaluationJob), await asking(c))),
    ),
  );
  routes.get(`${API}/jobs`, workGuard, async (c) => {
    const types = c.req.queries('job_types')?.flatMap((value) => value.split(','));
    const filter = types === undefined ? {} : { types: types.map(typeOf) };
    const { total, items } = await queue.list(viewOf(c).viewer, filter, pageOf(c));
    return c.json({ total, items: items.map(jobView) });
  });
  const find = (c: Context<ShellEnv>, id: string): Promise<Job> => queue.get(viewOf(c).viewer, id);
  routes.get(`${API}/jobs/:id`, workGuard, async (c) => c.json(jobView(await find(c, c.req.param('id')))));
  routes.get(`${API}/jobs/:id/logs`, workGuard, async (c) =>
    c.json({ logs: await jobLog(queue, (await find(c, c.req.param('id'))).id) }),
  );
  routes.post(`${API}/jobs/:id/cancel`, workGuard, async (c) => {
    const { id, status } = await find(c, c.req.param('id'));
    if (isOver(status)) throw new AppError('ConflictError', `Job ${id} has ${status} already.`);
    await queue.cancel(id);
    await queue.stopped(id, STOP_MS);
    return c.json(jobView(await find(c, id)));
  });
  routes.post(`${API}/jobs/:id/retry`, workGuard, async (c) => {
    const changes = retryIn(await readOptionalBody(c, retryRequest));
    return c.json(jobView(await singleJobs.retry(viewOf(c).viewer, c.req.param('id'), changes)));
  });
  routes.get(`${API}/jobs/:id/rows`, workGuard, async (c) =>
    rowsAnswer(c, jobs, await find(c, c.req.param('id'))),
  );
  routes.get(`${API}/jobs/:id/result`, workGuard, async (c) => {
    const { id, result } = succeeded(await find(c, c.req.param('id')));
    const { metrics = {}, parameters = null, details = null } = result ?? {};
    return c.json({ id, metrics, parameters, details });
  });
  routes.get(`${API}/jobs/:id/dataset`, workGuard, async (c) =>
    c.json(datasetView(await datasets.get(viewOf(c).viewer, outputOf(await find(c, c.req.param('id')))))),
  );
  routes.get(`${API}/jobs/:id/result/download`, workGuard, async (c) => {
    const job = succeeded(await find(c, c.req.param('id')));
    const file = job.spec.type === 'evaluation' ? `${job.id}.scores` : `${outputOf(job)}.csv`;
    return c.json({ id: job.id, download_url: absoluteUrl(c, await artifacts.address(file)) });
  });

  return { routes, operations: JOB_OPERATIONS };
}

const STOP_MS = 10_000;

function typeOf(word: string): string {
  const type = JOB_TYPES[word as keyof typeof JOB_TYPES] as string | undefined;
  if (type !== undefined) return type;
  const message = `job_types must be of ${Object.keys(JOB_TYPES).join(', ')}, not ${JSON.stringify(word.slice(0, 100))}`;
  throw new AppError('InputError', message, {
    details: [{ location: 'query.job_types', message, rule: 'enum' }],
  });
}

function succeeded(job: Job): Job {
  if (job.status === 'succeeded') return job;
  throw new AppError(
    'ConflictError',
    `Job ${job.id} is ${job.status}; there is a result once it has succeeded.`,
    {
      reason: 'results_not_available',
    },
  );
}

function outputOf(job: Job): string {
  const { outputId, spec } = succeeded(job);
  if (outputId !== null && spec.type !== 'evaluation') return outputId;
  throw new AppError('NotFoundError', `Job ${job.id} writes no dataset.`);
}
