import { Type } from 'typebox';
import { answerOf } from '#serve/http/openapi/describe.ts';
import { wordOf } from '#serve/http/query.ts';
import type { Route } from '#serve/http/route.ts';
import { closed, oneOf, orNull } from '#serve/http/schemas.ts';
import type { GatewayContext } from '../context.ts';
import { AMOUNTS } from '../evaluation/compare/amounts.ts';
import { createComparer } from '../evaluation/compare/comparer.ts';
import { matrixMarkdown } from '../evaluation/compare/matrix-markdown.ts';
import { matrixSvg } from '../evaluation/compare/matrix-svg.ts';
import { type Matrix, matrixOf } from '../evaluation/compare/matrix.ts';
import { EXPERIMENT_ID } from './experiments.ts';
import { viewOf } from './guards.ts';
import { API, type HttpParts } from './http/parts.ts';

const amount = (description: string) => orNull(Type.Number({ minimum: 0 }), description);

const cell = closed('MatrixCell', {
  prompt: Type.String(),
  model: Type.String(),
  workflows: Type.Array(Type.String(), { description: 'Workflow IDs: one, or one for each repeat.' }),
  complete: Type.Boolean({ description: 'Whether all of these workflows have succeeded.' }),
  value: orNull(Type.Number(), 'The metric, as the mean over repeats.'),
  interval: orNull(
    Type.Object({ low: Type.Number(), high: Type.Number() }, { additionalProperties: false }),
    '95% confidence interval; null for metrics without a score per row.',
  ),
  cost_per_row: amount('Cost per row in US dollars; null without a price.'),
  latency_ms: amount('Median latency per row.'),
  tokens_per_row: amount('Input and output tokens per row.'),
  on_frontier: orNull(
    Type.Boolean(),
    'Whether no other cell is both better and cheaper; null without a value or an amount.',
  ),
  frontier_probability: orNull(
    Type.Number({ minimum: 0, maximum: 1 }),
    'Share of 1,000 bootstrap resamples of the rows in which the cell is on the frontier; null for metrics without a score per row.',
  ),
});

const matrix = closed('Matrix', {
  metric: orNull(Type.String()),
  higher_is_better: Type.Boolean(),
  by: oneOf(AMOUNTS),
  prompts: Type.Array(Type.String()),
  models: Type.Array(Type.String()),
  cells: Type.Array(cell),
});

const FORMATS = ['json', 'markdown', 'svg'] as const;
const MEDIA_TYPES = { markdown: 'text/markdown; charset=utf-8', svg: 'image/svg+xml' } as const;

/** `GET /api/v1/experiments/{id}/matrix`. */
export function matrixRoutes(
  {
    jobs,
    experiments,
    workflows,
    state,
  }: Pick<GatewayContext, 'jobs' | 'experiments' | 'workflows' | 'state'>,
  { guards, route }: HttpParts,
): readonly Route[] {
  const compare = createComparer({ datasets: jobs.datasets, usage: state.usage });
  return [
    route({
      method: 'get',
      path: `${API}/experiments/:id/matrix`,
      guard: guards.evaluation,
      id: 'getExperimentMatrix',
      tag: 'Experiments',
      summary: 'Compare prompts and models in a table, with the frontier of cost and quality.',
      parameters: [
        EXPERIMENT_ID,
        {
          name: 'metric',
          in: 'query',
          description: 'Metric for quality. Default: the first one with a score per row.',
          example: 'success',
          schema: Type.String(),
        },
        {
          name: 'by',
          in: 'query',
          description:
            'Amount that quality is weighed against: cost per row, median latency or tokens per row.',
          example: 'cost',
          schema: oneOf(AMOUNTS, { default: 'cost' }),
        },
        {
          name: 'format',
          in: 'query',
          description: 'Response format: data, a table, or a plot.',
          example: 'json',
          schema: oneOf(FORMATS, { default: 'json' }),
        },
      ],
      answer: answerOf('The matrix.', matrix, {
        metric: 'success',
        higher_is_better: true,
        by: 'cost',
        prompts: ['short'],
        models: ['small'],
        cells: [],
      }),
      otherAnswers: [
        { mediaType: 'text/markdown', schema: Type.String(), examples: { table: '# reviews: accuracy\n' } },
        { mediaType: 'image/svg+xml', schema: Type.String(), examples: { plot: '<svg></svg>\n' } },
      ],
      errors: [422],
      run: async (c) => {
        const format = wordOf(c, 'format', FORMATS, 'json');
        const by = wordOf(c, 'by', AMOUNTS, 'cost');
        const experiment = await experiments.get(viewOf(c).viewer, c.req.param('id'));
        const all = await workflows.ofExperiments([experiment.id]);
        const compared = await compare(experiment, all, 0);
        const found = await matrixOf(
          compared,
          all,
          { metric: c.req.query('metric') || undefined, by },
          jobs.datasets,
        );
        if (format === 'json') return matrixView(found);
        const text = format === 'svg' ? matrixSvg(found) : matrixMarkdown(found);
        return c.body(text, 200, { 'Content-Type': MEDIA_TYPES[format] });
      },
    }),
  ];
}

const matrixView = ({ metric, isHigherBetter, by, prompts, models, cells }: Matrix) => ({
  metric,
  higher_is_better: isHigherBetter,
  by,
  prompts,
  models,
  cells: cells.map((one) => ({
    prompt: one.prompt,
    model: one.model,
    workflows: one.workflowIds,
    complete: one.isComplete,
    value: one.value,
    interval: one.interval,
    cost_per_row: one.costPerRow,
    latency_ms: one.latencyMs,
    tokens_per_row: one.tokensPerRow,
    on_frontier: one.isOnFrontier,
    frontier_probability: one.frontierShare,
  })),
});
