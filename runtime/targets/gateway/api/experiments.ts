import type { Context } from 'hono';
import { Type, type Static } from 'typebox';
import { inputError } from '#contract/errors.ts';
import { rfc3339 } from '#core/time/rfc3339.ts';
import { answerOf } from '#serve/http/openapi/describe.ts';
import type { ShellEnv } from '#serve/http/request-state.ts';
import type { Route } from '#serve/http/route.ts';
import type { GatewayContext } from '../context.ts';
import type { Experiment } from '../evaluation/experiments/experiment.ts';
import type { Sampling } from '../evaluation/experiments/sample/sample-dataset.ts';
import type { TaskDefinition } from '../evaluation/work/work.ts';
import { inMember } from '../evaluation/workflows/member-errors.ts';
import { experiment, experimentChanges, experimentList, newExperiment } from './experiments-schemas.ts';
import { viewOf } from './guards.ts';
import { pageOfList, SEARCH_PARAMETERS, pageOf, searchOf } from './http/lists.ts';
import { API, type HttpParts } from './http/parts.ts';
import { rfc3339OrNull } from './http/values.ts';
import { maxSamplesIn, taskIn } from './workflow-request.ts';
import { type workflowDetailsView, createResultsAddress, createWorkflowView } from './workflow-views.ts';
import { WORKFLOW_DETAILS } from './workflows.ts';

const ID = '7f0c0a8b3d0c4b7e9d0f0c7f3a1c2e55';
const CREATED = {
  id: ID,
  experiment_id: ID,
  name: 'reviews',
  description: '',
  created_at: '2026-01-01T00:00:00Z',
  max_samples: -1,
  task_definition: { task: 'text-classification' },
  dataset: 'b7f0c0a8-3d0c-4b7e-9d0f-0c7f3a1c2e55',
  tags: ['release'],
  updated_at: null,
  workflows: null,
};
const EXPERIMENT = { ...CREATED, workflows: [WORKFLOW_DETAILS] };

const SHARED = { tag: 'Experiments' } as const;
export const EXPERIMENT_ID = { name: 'experiment_id', description: 'Experiment ID.', example: ID };

/** `/api/v1/experiments`: comparisons of several models on one dataset. */
export function experimentRoutes(
  { jobs, experiments, workflows }: Pick<GatewayContext, 'jobs' | 'experiments' | 'workflows'>,
  { guards, route, absoluteUrl }: HttpParts,
): readonly Route[] {
  const detailsOf = createWorkflowView(createResultsAddress(jobs.artifacts, absoluteUrl));

  const withWorkflows = async (c: Context<ShellEnv>, experiment: Experiment) => {
    const all = await workflows.ofExperiments([experiment.id]);
    return experimentView(experiment, await Promise.all(all.map((one) => detailsOf(c, one))));
  };

  const list = {
    ...SHARED,
    guard: guards.evaluation,
    ...pageOfList({
      schema: experimentList,
      example: { total: 1, items: [EXPERIMENT] },
      parameters: SEARCH_PARAMETERS,
    }),
    run: async (c: Context<ShellEnv>) => {
      const { total, items } = await experiments.list(viewOf(c).viewer, pageOf(c), searchOf(c));
      const all = await workflows.ofExperiments(items.map(({ id }) => id));
      const views = Map.groupBy(
        await Promise.all(all.map((one) => detailsOf(c, one))),
        ({ experiment_id: id }) => id,
      );
      return { total, items: items.map((one) => experimentView(one, views.get(one.id) ?? [])) };
    },
  };

  return [
    route({
      method: 'post',
      path: `${API}/experiments/`,
      guard: guards.evaluation,
      ...SHARED,
      id: 'createExperiment',
      summary: 'Create an experiment: a dataset and a task for comparing models.',
      description: 'The dataset must exist and have the columns that the task requires.',
      request: {
        schema: newExperiment,
        examples: {
          classification: {
            name: 'reviews',
            dataset: CREATED.dataset,
            task_definition: { task: 'text-classification' },
          },
          translation: {
            name: 'manual',
            dataset: CREATED.dataset,
            max_samples: 100,
            task_definition: { task: 'translation', source_language: 'English', target_language: 'German' },
          },
        },
      },
      answer: answerOf('The experiment.', experiment, CREATED),
      statuses: [201],
      run: async (c, { name, description, dataset, ...body }) => {
        const { viewer, owner } = viewOf(c);

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
        return experimentView(experiment, null);
      },
    }),
    route({
      method: 'get',
      path: `${API}/experiments/`,
      id: 'listExperiments',
      summary: 'List experiments with their workflows, newest first.',
      ...list,
    }),
    route({
      method: 'get',
      path: `${API}/experiments/all`,
      id: 'listAllExperiments',
      summary: 'List experiments, at the path that Lumigator clients use.',
      ...list,
    }),
    route({
      method: 'get',
      path: `${API}/experiments/:id`,
      guard: guards.evaluation,
      ...SHARED,
      id: 'getExperiment',
      summary: 'Get an experiment with its workflows.',
      parameters: [EXPERIMENT_ID],
      answer: answerOf('The experiment.', experiment, EXPERIMENT),
      run: async (c) => {
        const experiment = await experiments.get(viewOf(c).viewer, c.req.param('id'));
        return await withWorkflows(c, experiment);
      },
    }),
    route({
      method: 'patch',
      path: `${API}/experiments/:id`,
      guard: guards.evaluation,
      ...SHARED,
      id: 'updateExperiment',
      summary: 'Change the name, the description or the tags of an experiment.',
      parameters: [EXPERIMENT_ID],
      request: { schema: experimentChanges, examples: { tags: { tags: ['release'] } } },
      answer: answerOf('The experiment.', experiment, EXPERIMENT),
      errors: [409],
      run: async (c, changes) =>
        await withWorkflows(c, await experiments.change(viewOf(c).viewer, c.req.param('id'), changes)),
    }),
    route({
      method: 'delete',
      path: `${API}/experiments/:id`,
      guard: guards.evaluation,
      ...SHARED,
      id: 'deleteExperiment',
      summary: 'Delete an experiment and all its workflows. Running ones are stopped.',
      parameters: [EXPERIMENT_ID],
      answer: answerOf('The experiment is deleted.', Type.Null(), null),
      run: async (c) => {
        await experiments.delete(viewOf(c).viewer, c.req.param('id'));
        return null;
      },
    }),
    // Lumigator clients list experiments under the second path.
  ];
}

type Shown = ReturnType<typeof workflowDetailsView>;

const experimentView = (experiment: Experiment, workflows: readonly Shown[] | null) => ({
  id: experiment.id,
  experiment_id: experiment.id,
  name: experiment.name,
  description: experiment.description,
  created_at: rfc3339(experiment.createdAt),
  max_samples: experiment.maxSamples,
  task_definition: taskView(experiment.task),
  dataset: experiment.datasetId,
  tags: experiment.tags,
  updated_at: rfc3339OrNull(experiment.updatedAt),
  workflows,
});

export const taskView = (definition: TaskDefinition) =>
  definition.task === 'translation'
    ? {
        task: definition.task,
        source_language: definition.sourceLanguage,
        target_language: definition.targetLanguage,
      }
    : { task: definition.task };

type Body = Pick<Static<typeof newExperiment>, 'max_samples' | 'sampling' | 'seed'>;

/**
 * Returns how to select rows; undefined to select the first rows. Throws an InputError for a sample without
 * a size.
 */
function samplingIn({ max_samples: size, sampling: method, seed }: Body): Sampling | undefined {
  if (method === undefined || method === null || method === 'first') return undefined;
  if (size !== undefined && size !== null && size > 0) return { method, seed: seed ?? 0 };
  return inMember('sampling', () => {
    throw inputError(
      `\`sampling: ${method}\` requires \`max_samples\`, the number of rows. Set it to at least 1.`,
    );
  });
}
