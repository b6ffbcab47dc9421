import type { Operation } from '#serve/http/openapi/operation.ts';
import { oneOf } from '#serve/http/schemas.ts';
import { requiresRole, STORE_ERRORS } from '../http/operations.ts';
import { pageOfList } from '../http/lists.ts';
import { TIME_PARAMETERS } from '../usage/scope-operations.ts';
import { HIT_MODES } from '../../accounts/guardrail-hits/hit-modes.ts';
import { hitPage } from './schemas.ts';

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

export const HIT_OPERATIONS: readonly Operation[] = [
  {
    path: '/v1/guardrail-hits',
    id: 'listGuardrailHits',
    tag: 'Admin',
    summary: 'List texts that guardrails flagged or masked, newest first, without the texts.',
    description: requiresRole(
      'viewer',
      'Filters are combined with AND. Hits are kept as long as the audit log, see `audit.retention`.',
    ),
    ...pageOfList({
      schema: hitPage,
      example: { total: 1, items: [HIT] },
      parameters: [
        text('profile', 'Only hits of this guardrail.', HIT.profile),
        {
          ...text('mode', 'Only hits that were blocked, only monitored, or masked.', 'block'),
          schema: oneOf(['any', ...HIT_MODES], { default: 'any' }),
        },
        text('user_id', 'Only requests of this user.', HIT.user_id),
        text('request_id', 'Only this request.', HIT.request_id),
        ...TIME_PARAMETERS,
      ],
      errors: STORE_ERRORS,
    }),
  },
];
