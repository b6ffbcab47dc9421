import { answerOf } from '#serve/http/openapi/describe.ts';
import type { Route } from '#serve/http/route.ts';
import type { GatewayContext } from '../context.ts';
import { createShadowRegistry } from '../registry/shadow-registry.ts';
import { trialOfSettings } from '../requests/shadow/trial-plans.ts';
import { alias as aliasSchema, ALIAS_EXAMPLE } from './aliases.ts';
import { pageOf, pageOfList } from './http/lists.ts';
import type { HttpParts } from './http/parts.ts';
import { promotion, shadowEvaluation, shadowEvaluations } from './shadow-schemas.ts';
import { aliasView } from './views/models.ts';
import { shadowView } from './views/shadow.ts';

const NO_VALUES = { baseline: null, candidate: null, difference: null, lower: null, upper: null };

const EVALUATION = {
  alias: 'fast',
  mode: 'shadow' as const,
  candidate: 'mistral:mistral-small-latest',
  current: true,
  share: 0.1,
  user: 'evaluation',
  by: null,
  users: null,
  problem: null,
  verdict: 'not_worse' as const,
  message: 'not worse with 95%',
  remaining_rows: null,
  confidence: 0.95,
  margin: 0.05,
  rows: 412,
  failed: 1,
  metrics: [
    {
      name: 'preference',
      decides: true,
      rows: 412,
      baseline: 0.48,
      candidate: 0.52,
      difference: 0.04,
      lower: -0.03,
      upper: 0.11,
      verdict: 'not_worse' as const,
    },
  ],
  cost: { baseline: 0.0021, candidate: 0.0008, difference: -0.0013, lower: -0.0015, upper: -0.0011 },
  scoring_cost: 0.61,
  latency_p50_ms: { baseline: 900, candidate: 640, difference: -260, lower: -390, upper: -120 },
  latency_p95_ms: { baseline: 2100, candidate: 1500, difference: -600, lower: null, upper: null },
  first_output_p50_ms: { baseline: 310, candidate: 220, difference: -90, lower: -140, upper: -30 },
  output_tokens: NO_VALUES,
  skipped: { tools: 3 },
  started_at: '2026-01-01T00:00:00Z',
  decided_at: '2026-01-03T11:20:00Z',
};

const ALIAS = { name: 'alias', description: 'Name of the alias, including any slashes.', example: 'fast' };

/** `/v1/shadow`: evaluations of candidates with live requests. */
export function shadowRoutes(
  { aliases, clock, state: { shadowRecords: records, identity } }: GatewayContext,
  { guards, route }: HttpParts,
): readonly Route[] {
  const evaluations = createShadowRegistry({
    aliases,
    records,
    users: identity.users,
    trialOf: (name, settings) => trialOfSettings(records, name, settings),
    now: clock.now,
  });
  return [
    route({
      method: 'get',
      path: '/v1/shadow',
      guard: guards.reader,
      id: 'listShadowEvaluations',
      tag: 'Providers',
      summary:
        'List shadow evaluations and A/B tests: those of aliases, by name, then ended ones, newest first.',
      ...pageOfList({ schema: shadowEvaluations, example: [EVALUATION] }),
      run: async (c) => {
        const { skip, limit } = pageOf(c);
        return (await evaluations.list()).slice(skip, skip + limit).map(shadowView);
      },
    }),
    route({
      method: 'post',
      path: '/v1/shadow/promote',
      guard: guards.admin,
      id: 'promoteShadowCandidate',
      tag: 'Providers',
      summary: 'Make the candidate of an alias its only target, and end the evaluation.',
      description:
        'Returns 409 for an alias in the configuration file and, without `force`, unless the verdict is `not_worse`.',
      request: { schema: promotion, examples: { promote: { alias: 'fast' } } },
      answer: answerOf('The changed alias.', aliasSchema, {
        ...ALIAS_EXAMPLE,
        targets: [{ model: EVALUATION.candidate, weight: 1 }],
      }),
      errors: [409],
      run: async (_c, { alias, force = false }) => aliasView(await evaluations.promote(alias, force)),
    }),
    route({
      method: 'get',
      path: '/v1/shadow/:alias{.+}',
      guard: guards.reader,
      id: 'getShadowEvaluation',
      tag: 'Providers',
      summary: 'Get the evaluation of an alias.',
      parameters: [ALIAS],
      answer: answerOf('The evaluation.', shadowEvaluation, EVALUATION),
      run: async (c) => shadowView(await evaluations.get(c.req.param('alias'))),
    }),
  ];
}
