import { Type } from 'typebox';
import { closed, oneOf, orNull } from '#serve/http/schemas.ts';
import { AB_METRICS, AB_UNITS } from '../requests/routing/ab-settings.ts';
import { SHADOW_METRICS } from '../requests/routing/shadow-settings.ts';
import { count, dollars, nonEmptyText, timeOrNull } from './http/fields.ts';

const verdict = oneOf(['not_worse', 'worse', 'undecided'], {
  description: 'Verdict on the candidate, which stays right however often it is read.',
});

const both = (name: string, description: string) =>
  closed(
    name,
    {
      baseline: orNull(Type.Number(), 'The current model; null without values.'),
      candidate: orNull(Type.Number(), 'The candidate; null without values.'),
      difference: orNull(Type.Number(), 'Candidate minus current model.'),
      lower: orNull(
        Type.Number(),
        'Lower end of the confidence interval of the difference; null with too few values.',
      ),
      upper: orNull(
        Type.Number(),
        'Upper end of the confidence interval of the difference; null with too few values.',
      ),
    },
    description,
  );

const metric = closed('ShadowMetric', {
  name: oneOf([...new Set([...SHADOW_METRICS, ...AB_METRICS])]),
  decides: Type.Boolean({ description: 'Whether the verdict depends on the metric.' }),
  rows: count('Number of requests with both scores; in an A/B test, of users with a value.'),
  baseline: orNull(Type.Number(), 'Mean score of the current model.'),
  candidate: orNull(Type.Number(), 'Mean score of the candidate.'),
  difference: orNull(
    Type.Number(),
    'Mean of candidate minus current model. In an A/B test, changes of the share are taken into account.',
  ),
  lower: Type.Number({ description: 'Lower end of the confidence interval of the difference.' }),
  upper: Type.Number({ description: 'Upper end of the confidence interval of the difference.' }),
  verdict,
});

export const shadowEvaluation = closed(
  'ShadowEvaluation',
  {
    alias: Type.String(),
    mode: oneOf(['shadow', 'ab'], {
      description:
        '`shadow`: requests are also sent to the candidate. `ab`: a share of the users gets the candidate’s responses.',
    }),
    candidate: Type.String({ description: 'Model that is evaluated.' }),
    current: Type.Boolean({ description: 'Whether the alias has these settings now.' }),
    share: orNull(
      Type.Number(),
      'Share of the permitted requests or, in an A/B test, of the users; null for an evaluation that has ended.',
    ),
    user: orNull(
      Type.String(),
      'User who pays for the candidate and the judge, in an A/B test only for the judge; null without one, and for an evaluation that has ended.',
    ),
    by: orNull(oneOf(AB_UNITS), 'Whose requests all get the same variant in an A/B test.'),
    users: orNull(
      closed('AbUsers', {
        baseline: count('Users with responses from the current model whose window is over.'),
        candidate: count('Users with responses from the candidate whose window is over.'),
        waiting: count('Users whose window is not over, and who are not counted yet.'),
      }),
      'Users, or other units, of an A/B test.',
    ),
    problem: orNull(Type.String(), 'Why the evaluation cannot run.'),
    verdict,
    message: Type.String({ description: 'The verdict as text, e.g. `undecided: about 120 more rows`.' }),
    remaining_rows: orNull(
      count(),
      'Estimated number of further requests, or users of an A/B test, until a verdict; null if unknown or decided.',
    ),
    confidence: Type.Number(),
    margin: Type.Number({ description: 'By how much the candidate can be worse and still be `not_worse`.' }),
    rows: count('Compared or recorded requests that are stored.'),
    failed: count(
      'Requests for which the candidate gave no response. It has the lowest score for them. In an A/B test, the alias’s targets respond instead.',
    ),
    metrics: Type.Array(metric),
    cost: both(
      'ShadowCost',
      'Mean cost per request in US dollars. In an A/B test, each user counts once with the mean of its requests, here and for the following values.',
    ),
    scoring_cost: dollars('Cost of judging all requests, in US dollars.'),
    latency_p50_ms: both('ShadowLatencyP50', 'Median duration in milliseconds.'),
    latency_p95_ms: both('ShadowLatencyP95', '95th percentile of the duration in milliseconds.'),
    first_output_p50_ms: both(
      'ShadowFirstOutput',
      'Median time to the first output of streams in milliseconds.',
    ),
    output_tokens: both('AbOutputTokens', 'Mean number of output tokens per response, in an A/B test.'),
    skipped: Type.Record(Type.String(), count(), {
      description: 'Requests that were not compared or recorded, by reason.',
    }),
    started_at: timeOrNull('Time of the first request; null without one.'),
    decided_at: timeOrNull('Time of the verdict.'),
  },
  'An evaluation of a candidate with live requests to an alias: a shadow evaluation or an A/B test.',
);

export const shadowEvaluations = Type.Array(shadowEvaluation);

export const promotion = closed('ShadowPromotion', {
  alias: nonEmptyText('Name of the alias.'),
  force: Type.Optional(
    Type.Boolean({ description: 'Promote the candidate whatever the verdict is.', default: false }),
  ),
});
