import { AppError } from '#contract/errors.ts';
import { wordOf } from '#serve/http/query.ts';
import type { GatewayContext } from '../../context.ts';
import { noExperiment } from '../../evaluation/workflows/workflows.ts';
import { API, type GatewayRoutes, type HttpParts, newRoutes } from '../http/parts.ts';
import { followAnswer } from './follow-answer.ts';
import { modelCheckFor } from '../sign-in/model-check.ts';
import { pageOf, searchOf } from '../http/lists.ts';
import { retryIn } from './retry-request.ts';
import { rowsAnswer } from './rows-answer.ts';
import { newWorkflow, retryRequest, workflowChanges } from './schemas.ts';
import { callerOf } from '../sign-in/sign-in.ts';
import { deletedWorkflowView, workflowDetailsView, workflowView } from './view.ts';
import { viewOf } from '../sign-in/lab-guard.ts';
import { workflowIn } from './workflow-request.ts';
import { createResultsAddress, createWorkflowViews } from './views.ts';
import { jobLog, LOG_SEPARATOR } from '../../evaluation/workflows/workflow-logs.ts';
import { WORKFLOW_OPERATIONS } from './operations.ts';

type Context = Pick<GatewayContext, 'jobs' | 'experiments' | 'workflows' | 'state' | 'clock' | 'kernel'>;

/** `/api/v1/workflows`: runs of one model on the dataset of an experiment. */
export function workflowRoutes(
  context: Context,
  {
    labGuard,
    readBody,
    readOptionalBody,
    absoluteUrl,
  }: Pick<HttpParts, 'labGuard' | 'readBody' | 'readOptionalBody' | 'absoluteUrl'>,
): GatewayRoutes {
  const { jobs, experiments, workflows, state } = context;
  const resultsAddress = createResultsAddress(jobs.artifacts, absoluteUrl);
  const viewsOf = createWorkflowViews(resultsAddress);
  const routes = newRoutes();

  routes.post(`${API}/workflows`, labGuard, async (c) => {
    const body = await readBody(c, newWorkflow);
    const experiment = await experiments
      .get(viewOf(c).viewer, body.experiment_id ?? '')
      .catch((error: unknown) => {
        throw error instanceof AppError && error.code === 'NotFoundError' ? noExperiment(body.name) : error;
      });
    const assertModelAllowed = await modelCheckFor(state, callerOf(c));
    const { teamId, keyId } = viewOf(c);
    const workflow = await workflows.create({
      experiment,
      request: workflowIn(body),
      teamId,
      keyId,
      assertModelAllowed,
    });
    return c.json(workflowView(workflow), 201);
  });
  routes.get(`${API}/workflows`, labGuard, async (c) => {
    const status = wordOf(c, 'status', ['any', 'created', 'running', 'succeeded', 'failed'], 'any');
    const filter = {
      experimentId: c.req.query('experiment_id') || undefined,
      status: status === 'any' ? undefined : status,
      ...searchOf(c),
    };
    const { total, items } = await workflows.list(viewOf(c).viewer, filter, pageOf(c));
    return c.json({ total, items: await viewsOf(c, items) });
  });
  routes.get(`${API}/workflows/:id`, labGuard, async (c) => {
    const [view] = await viewsOf(c, [await workflows.get(viewOf(c).viewer, c.req.param('id'))]);
    return c.json(view);
  });
  routes.patch(`${API}/workflows/:id`, labGuard, async (c) => {
    const changes = await readBody(c, workflowChanges);
    const [view] = await viewsOf(c, [await workflows.change(viewOf(c).viewer, c.req.param('id'), changes)]);
    return c.json(view);
  });
  routes.get(`${API}/workflows/:id/logs`, labGuard, async (c) => {
    const { viewer } = viewOf(c);
    const id = c.req.param('id');
    const workflow = await workflows.get(viewer, id);
    if (wordOf(c, 'follow', ['false', 'true'], 'false') === 'true') {
      return followAnswer(c, () => workflows.get(viewer, id), context);
    }
    const logs = await Promise.all(workflow.jobs.toReversed().map((job) => jobLog(jobs.queue, job.id)));
    return c.json({ logs: logs.join(LOG_SEPARATOR) });
  });
  routes.get(`${API}/workflows/:id/result/download`, labGuard, async (c) => {
    const workflow = await workflows.get(viewOf(c).viewer, c.req.param('id'));
    if (workflow.status !== 'succeeded') throw notAvailable(workflow.id, workflow.status);
    return c.json(await resultsAddress(c, workflow));
  });
  routes.post(`${API}/workflows/:id/cancel`, labGuard, async (c) =>
    c.json(workflowDetailsView(await workflows.cancel(viewOf(c).viewer, c.req.param('id')), null)),
  );
  routes.post(`${API}/workflows/:id/retry`, labGuard, async (c) =>
    c.json(
      workflowDetailsView(
        await workflows.retry(viewOf(c), c.req.param('id'), retryIn(await readOptionalBody(c, retryRequest))),
        null,
      ),
    ),
  );
  routes.get(`${API}/workflows/:id/rows`, labGuard, async (c) => {
    const workflow = await workflows.get(viewOf(c).viewer, c.req.param('id'));
    const job = workflow.jobs.find(({ spec }) => spec.type !== 'evaluation');
    if (!job) throw new AppError('NotFoundError', `Workflow ${workflow.id} has no rows.`);
    return await rowsAnswer(c, jobs, job);
  });
  routes.delete(`${API}/workflows/:id`, labGuard, async (c) => {
    const force = wordOf(c, 'force', ['false', 'true'], 'false') === 'true';
    return c.json(deletedWorkflowView(await workflows.delete(viewOf(c).viewer, c.req.param('id'), force)));
  });

  return { routes, operations: WORKFLOW_OPERATIONS };
}

const notAvailable = (id: string, status: string): AppError =>
  new AppError(
    'ConflictError',
    `The results of workflow ${id} are not available: its status is ${status}, not succeeded.`,
    { reason: 'results_not_available' },
  );
