import { Type } from 'typebox';
import { answerOf } from '#serve/http/openapi/describe.ts';
import { wholeNumber } from '#serve/http/openapi/describe.ts';
import { wholeNumberOf, wordOf } from '#serve/http/query.ts';
import { oneOf } from '#serve/http/schemas.ts';
import { comparisonCsv } from '../../evaluation/compare/as-csv.ts';
import { comparisonMarkdown } from '../../evaluation/compare/as-markdown.ts';
import { createComparer } from '../../evaluation/compare/comparer.ts';
import type { GatewayContext } from '../../context.ts';
import { API, type GatewayRoutes, type HttpParts, newRoutes } from '../http/parts.ts';
import { comparison } from './schemas.ts';
import { textAnswer } from '../http/answers.ts';
import { comparisonView } from './view.ts';
import { viewOf } from '../sign-in/lab-guard.ts';
import { EXPERIMENT_ID } from '../experiments/operations.ts';
import { KEY_ERRORS } from '../http/operations.ts';

const FORMATS = ['json', 'csv', 'markdown'] as const;
const MARKDOWN = 'text/markdown; charset=utf-8';
const DISAGREEMENTS = { min: 0, max: 1000, fallback: 20 };

/** `GET /api/v1/experiments/{id}/compare`. */
export function compareRoutes(
  {
    jobs,
    experiments,
    workflows,
    state,
  }: Pick<GatewayContext, 'jobs' | 'experiments' | 'workflows' | 'state'>,
  { labGuard }: Pick<HttpParts, 'labGuard'>,
): GatewayRoutes {
  const compare = createComparer({ datasets: jobs.datasets, usage: state.usage });
  const routes = newRoutes();

  routes.get(`${API}/experiments/:id/compare`, labGuard, async (c) => {
    const format = wordOf(c, 'format', FORMATS, formatOf(c.req.header('Accept')));
    const maxDisagreements = wholeNumberOf(c, 'disagreements', DISAGREEMENTS);
    const experiment = await experiments.get(viewOf(c).viewer, c.req.param('id'));
    const all = await workflows.ofExperiments([experiment.id]);
    const compared = await compare(experiment, all, maxDisagreements);
    if (format === 'csv') {
      const filename = `${experiment.name}.csv`;
      return textAnswer(c, comparisonCsv(compared), { mediaType: 'text/csv; charset=utf-8', filename });
    }
    return format === 'markdown'
      ? c.body(comparisonMarkdown(compared), 200, { 'Content-Type': MARKDOWN })
      : c.json(comparisonView(compared));
  });

  return { routes, operations: [OPERATION] };
}

function formatOf(accept = ''): (typeof FORMATS)[number] {
  if (accept.includes('text/csv')) return 'csv';
  return accept.includes('text/markdown') ? 'markdown' : 'json';
}

const OPERATION: GatewayRoutes['operations'][number] = {
  method: 'get',
  path: `${API}/experiments/{experiment_id}/compare`,
  id: 'compareExperiment',
  tag: 'Experiments',
  summary: 'Compare the results of the models.',
  description: 'Failed models are included with the reason.',
  parameters: [
    EXPERIMENT_ID,
    {
      name: 'format',
      in: 'query',
      description: 'Format of the answer. Default: the format in the `Accept` header.',
      example: 'json',
      schema: oneOf(FORMATS, { default: 'json' }),
    },
    {
      name: 'disagreements',
      in: 'query',
      description: 'Maximum number of rows with different answers to return.',
      example: DISAGREEMENTS.fallback,
      schema: wholeNumber(DISAGREEMENTS.min, DISAGREEMENTS.max, DISAGREEMENTS.fallback),
    },
  ],
  answer: answerOf('The comparison.', comparison, {
    experiment: {
      id: EXPERIMENT_ID.example,
      name: 'reviews',
      dataset: 'b7f0c0a8-3d0c-4b7e-9d0f-0c7f3a1c2e55',
      task_definition: { task: 'text-classification' },
    },
    partial: false,
    metrics: ['accuracy'],
    workflows: [],
    pairs: [],
    repeats: [],
    disagreements: null,
  }),
  otherAnswers: [
    { mediaType: 'text/csv', schema: Type.String(), examples: { rows: 'workflow_id,name\r\n' } },
    { mediaType: 'text/markdown', schema: Type.String(), examples: { table: '# reviews\n' } },
  ],
  errors: [422, ...KEY_ERRORS],
};
