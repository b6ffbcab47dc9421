import type { Context } from 'hono';
import { Type } from 'typebox';
import { inputError } from '#contract/errors.ts';
import { answerOf } from '#serve/http/openapi/describe.ts';
import { wordOf } from '#serve/http/query.ts';
import type { Route } from '#serve/http/route.ts';
import { closed, oneOf, orNull } from '#serve/http/schemas.ts';
import type { GatewayContext } from '../context.ts';
import { agreementMarkdown } from '../evaluation/compare/agreement-markdown.ts';
import { experimentAgreement, type ExperimentAgreement } from '../evaluation/compare/experiment-agreement.ts';
import { RATING_LEVELS } from '../evaluation/metrics/agreement/ratings.ts';
import { EXPERIMENT_ID } from './experiments.ts';
import { viewOf } from './guards.ts';
import { count } from './http/fields.ts';
import { API, type HttpParts } from './http/parts.ts';

const estimate = closed(
  'Estimate',
  {
    value: orNull(Type.Number(), 'Null if all ratings are equal.'),
    interval: orNull(
      Type.Object({ low: Type.Number(), high: Type.Number() }, { additionalProperties: false }),
      '95% confidence interval, from a bootstrap over at most 5,000 rows.',
    ),
  },
  'A number with its confidence interval.',
);

const agreement = closed('Agreement', {
  level: oneOf(RATING_LEVELS),
  raters: Type.Array(closed('Rater', { name: Type.String(), rated: count('Number of rated rows.') })),
  pairs: Type.Array(
    closed('RaterPair', {
      first: Type.String(),
      second: Type.String(),
      rows: count('Number of rows that both have rated.'),
      equal: estimate,
      kappa: orNull(estimate, 'Cohen’s kappa; null for level `interval`.'),
      linear_kappa: orNull(estimate, 'Cohen’s kappa with linear weights; only for level `ordinal`.'),
      quadratic_kappa: orNull(estimate, 'Cohen’s kappa with quadratic weights; only for level `ordinal`.'),
    }),
  ),
  fleiss_kappa: orNull(estimate, 'For at least three raters and the levels `nominal` and `ordinal`.'),
  krippendorff_alpha: estimate,
});

const FORMATS = ['json', 'markdown'] as const;

/** `GET /api/v1/experiments/{id}/agreement`. */
export function agreementRoutes(
  { jobs, experiments, workflows }: Pick<GatewayContext, 'jobs' | 'experiments' | 'workflows'>,
  { guards, route }: HttpParts,
): readonly Route[] {
  return [
    route({
      method: 'get',
      path: `${API}/experiments/:id/agreement`,
      guard: guards.evaluation,
      id: 'getExperimentAgreement',
      tag: 'Experiments',
      summary: 'Measure how far judges, models and people agree.',
      description:
        'Rows without a rating by a rater are excluded from its pairs. At most 10 raters and 200,000 rows are compared.',
      parameters: [
        EXPERIMENT_ID,
        {
          name: 'raters',
          in: 'query',
          description:
            'Columns, separated by commas: of the dataset, or of a model’s scores or responses as `model/column`, with the name or ID of the workflow; `*/column` for all models.',
          example: 'human,*/polite',
        },
        {
          name: 'level',
          in: 'query',
          description: 'Whether ratings are categories, ranks or quantities.',
          example: 'ordinal',
          schema: oneOf(RATING_LEVELS, { default: 'nominal' }),
        },
        {
          name: 'threshold',
          in: 'query',
          description: 'Replaces each rating by whether it is at least this number.',
          example: 0.5,
          schema: Type.Number(),
        },
        {
          name: 'format',
          in: 'query',
          description: 'Response format.',
          example: 'json',
          schema: oneOf(FORMATS, { default: 'json' }),
        },
      ],
      answer: answerOf('The agreement.', agreement, {
        level: 'ordinal',
        raters: [
          { name: 'human', rated: 200 },
          { name: 'small/polite', rated: 198 },
        ],
        pairs: [],
        fleiss_kappa: null,
        krippendorff_alpha: { value: 0.71, interval: { low: 0.62, high: 0.79 } },
      }),
      otherAnswers: [
        { mediaType: 'text/markdown', schema: Type.String(), examples: { table: '# Agreement (nominal)\n' } },
      ],
      errors: [422],
      run: async (c) => {
        const request = {
          raters: (c.req.query('raters') ?? '').split(',').filter((rater) => rater !== ''),
          level: wordOf(c, 'level', RATING_LEVELS, 'nominal'),
          threshold: thresholdOf(c),
        };
        const format = wordOf(c, 'format', FORMATS, 'json');
        const experiment = await experiments.get(viewOf(c).viewer, c.req.param('id'));
        const all = await workflows.ofExperiments([experiment.id]);
        const found = await experimentAgreement(experiment, all, request, jobs.datasets);
        return format === 'markdown'
          ? c.body(agreementMarkdown(found), 200, { 'Content-Type': 'text/markdown; charset=utf-8' })
          : agreementView(found);
      },
    }),
  ];
}

function thresholdOf(c: Context): number | undefined {
  const given = c.req.query('threshold') ?? '';
  if (given === '') return undefined;
  const threshold = Number(given);
  if (Number.isFinite(threshold)) return threshold;
  throw inputError(`threshold must be a number, not ${JSON.stringify(given.slice(0, 100))}`);
}

const agreementView = ({ level, raters, pairs, fleissKappa, alpha }: ExperimentAgreement) => ({
  level,
  raters,
  pairs: pairs.map(({ raters: [first, second], rows, equal, kappa, linearKappa, quadraticKappa }) => ({
    first: raters[first]?.name ?? '',
    second: raters[second]?.name ?? '',
    rows,
    equal,
    kappa,
    linear_kappa: linearKappa,
    quadratic_kappa: quadraticKappa,
  })),
  fleiss_kappa: fleissKappa,
  krippendorff_alpha: alpha,
});
