import { Type } from 'typebox';
import { wordOf } from '#serve/http/query.ts';
import type { Route } from '#serve/http/route.ts';
import { closed, oneOf, orNull } from '#serve/http/schemas.ts';
import type { GatewayContext } from '../context.ts';
import { HIT_MODES } from '../shared/record-words.ts';
import { count, time } from './http/fields.ts';
import { pageOfList, pageOf, refuseUnknownParameters } from './http/lists.ts';
import type { HttpParts } from './http/parts.ts';
import { momentOf } from './http/values.ts';
import { TIME_PARAMETERS } from './usage.ts';
import { hitView } from './views/records.ts';

const hitPage = closed('GuardrailHitPage', {
  total: count('Number of matching hits.'),
  items: Type.Array(
    closed(
      'GuardrailHit',
      {
        id: Type.String(),
        at: time('Time of the check.'),
        request_id: Type.String({ description: '`X-Request-Id` of the request.' }),
        user_id: orNull(Type.String()),
        api_key_id: orNull(Type.String(), 'Null for the master key.'),
        team_id: orNull(Type.String()),
        endpoint: Type.String({ description: 'Path of the endpoint.' }),
        model: Type.String({ description: 'Model in the request.' }),
        profile: Type.String({ description: 'Guardrail profile.' }),
        mode: oneOf(HIT_MODES, { description: '`mask` if the text was sent with placeholders.' }),
        place: oneOf(['input', 'output']),
        score: orNull(Type.Number(), 'Null if the check was unavailable or has no scores.'),
        explanation: Type.String(),
      },
      'A text that a guardrail flagged or masked. The text itself is not stored.',
    ),
  ),
});

const HIT = {
  id: '019cab3c-5200-7000-8f4e-5a1d0c2b7e91',
  at: '2026-03-01T12:00:00Z',
  request_id: '6a1d1f4e-2b2c-4e38-9f25-6f6c4a2d3e11',
  user_id: 'ada',
  api_key_id: '0f4c2c1e-8c1f-4a51-9e62-0b6ad1d0c9b7',
  team_id: null,
  endpoint: '/v1/chat/completions',
  model: 'openai:gpt-5-mini',
  profile: 'injection',
  mode: 'block' as const,
  place: 'input' as const,
  score: 0.98,
  explanation: 'INJECTION: 0.98',
};

const text = (name: string, description: string, example: string) =>
  ({ name, in: 'query', description, example }) as const;

const PARAMETERS = ['profile', 'mode', 'user_id', 'request_id', 'from', 'to', 'skip', 'limit'];

/** `/v1/guardrail-hits`: texts flagged by guardrails. */
export function guardrailHitRoutes(
  { state }: GatewayContext,
  { guards, route }: HttpParts,
): readonly Route[] {
  return [
    route({
      method: 'get',
      path: '/v1/guardrail-hits',
      guard: guards.reader,
      id: 'listGuardrailHits',
      tag: 'Admin',
      summary: 'List texts that guardrails flagged or masked, newest first, without the texts.',
      description:
        'Filters are combined with AND. Hits are kept as long as the audit log (see `audit.retention`).',
      ...pageOfList({
        schema: hitPage,
        example: { total: 1, items: [HIT] },
        parameters: [
          text('profile', 'Only hits from this guardrail.', HIT.profile),
          {
            ...text('mode', 'Only hits that were blocked, only monitored, or masked.', 'block'),
            schema: oneOf(['any', ...HIT_MODES], { default: 'any' }),
          },
          text('user_id', 'Only requests from this user.', HIT.user_id),
          text('request_id', 'Only this request.', HIT.request_id),
          ...TIME_PARAMETERS,
        ],
      }),
      run: async (c) => {
        refuseUnknownParameters(c, PARAMETERS);
        const value = (name: string): string | undefined => c.req.query(name) || undefined;
        const mode = wordOf(c, 'mode', ['any', ...HIT_MODES], 'any');
        const filter = {
          profile: value('profile'),
          mode: mode === 'any' ? undefined : mode,
          userId: value('user_id'),
          requestId: value('request_id'),
          from: momentOf(c, 'from'),
          to: momentOf(c, 'to'),
        };
        const { total, hits } = await state.guardrailHits.list(filter, pageOf(c));
        return { total, items: hits.map(hitView) };
      },
    }),
  ];
}
