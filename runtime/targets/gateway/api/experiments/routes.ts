import type { Context } from 'hono';
import type { ShellEnv } from '#serve/http/request-id.ts';
import type { GatewayContext } from '../../context.ts';
import type { Experiment } from '../../evaluation/experiments/experiment.ts';
import { API, type GatewayRoutes, type HttpParts, newRoutes } from '../http/parts.ts';
import { createResultsAddress, createWorkflowViews } from '../workflows/views.ts';
import { maxSamplesIn } from '../jobs/job-request.ts';
import { pageOf, searchOf } from '../http/lists.ts';
import { experimentChanges, newExperiment } from './schemas.ts';
import { samplingIn } from './sampling-request.ts';
import { taskIn } from './task-request.ts';
import { experimentView } from './view.ts';
import { viewOf } from '../sign-in/lab-guard.ts';
import { EXPERIMENT_OPERATIONS } from './operations.ts';

/** `/api/v1/experiments`: comparisons of several models on one dataset. */
export function experimentRoutes(
  { jobs, experiments, workflows }: Pick<GatewayContext, 'jobs' | 'experiments' | 'workflows'>,
  { labGuard, readBody, absoluteUrl }: Pick<HttpParts, 'labGuard' | 'readBody' | 'absoluteUrl'>,
): GatewayRoutes {
  const viewsOf = createWorkflowViews(createResultsAddress(jobs.artifacts, absoluteUrl));
  const routes = newRoutes();
  const withWorkflows = async (c: Context<ShellEnv>, experiment: Experiment) => {
    const all = await workflows.ofExperiments([experiment.id]);
    return experimentView(experiment, await viewsOf(c, all));
  };

  routes.post(`${API}/experiments`, labGuard, async (c) => {
    const { viewer, owner } = viewOf(c);
    const { name, description, dataset, ...body } = await readBody(c, newExperiment);
    const experiment = await experiments.create(viewer, {
      name,
      description: description ?? '',
      datasetId: dataset,
      maxSamples: maxSamplesIn(body.max_samples),
      sampling: samplingIn(body),
      columns: body.columns ?? undefined,
      task: taskIn(body.task_definition ?? { task: 'summarization' }),
      owner,
      tags: body.tags ?? [],
    });
    return c.json(experimentView(experiment, null), 201);
  });
  // Clients of Lumigator list experiments under the second path.
  routes.on('GET', [`${API}/experiments`, `${API}/experiments/all`], labGuard, async (c) => {
    const { total, items } = await experiments.list(viewOf(c).viewer, pageOf(c), searchOf(c));
    const all = await workflows.ofExperiments(items.map(({ id }) => id));
    const views = Map.groupBy(await viewsOf(c, all), ({ experiment_id: id }) => id);
    return c.json({ total, items: items.map((one) => experimentView(one, views.get(one.id) ?? [])) });
  });
  routes.get(`${API}/experiments/:id`, labGuard, async (c) => {
    const experiment = await experiments.get(viewOf(c).viewer, c.req.param('id'));
    return c.json(await withWorkflows(c, experiment));
  });
  routes.patch(`${API}/experiments/:id`, labGuard, async (c) => {
    const changes = await readBody(c, experimentChanges);
    return c.json(
      await withWorkflows(c, await experiments.change(viewOf(c).viewer, c.req.param('id'), changes)),
    );
  });
  routes.delete(`${API}/experiments/:id`, labGuard, async (c) => {
    await experiments.delete(viewOf(c).viewer, c.req.param('id'));
    return c.json(null);
  });

  return { routes, operations: EXPERIMENT_OPERATIONS };
}
