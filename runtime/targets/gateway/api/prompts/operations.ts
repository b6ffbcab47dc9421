import { answerOf } from '#serve/http/openapi/describe.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { requiresRole, STORE_ERRORS } from '../http/operations.ts';
import { pageOfList } from '../http/lists.ts';
import { promptPage, prompts } from './schemas.ts';

const HEAD = {
  id: '019cab3c-5200-7000-8f4e-5a1d0c2b7e91',
  at: '2026-03-01T12:00:00Z',
  request_id: '6a1d1f4e-2b2c-4e38-9f25-6f6c4a2d3e11',
  user_id: 'ada',
  api_key_id: '0f4c2c1e-8c1f-4a51-9e62-0b6ad1d0c9b7',
  model: 'openai:gpt-5-mini',
  endpoint: '/v1/chat/completions',
  status: 'success',
  truncated: false,
};
const REQUEST = '{"model":"openai:gpt-5-mini","messages":[{"role":"user","content":"Hello"}]}';

const text = (name: string, description: string, example: string) =>
  ({ name, in: 'query', description, example }) as const;

export const PROMPT_OPERATIONS: readonly Operation[] = [
  {
    path: '/v1/admin/prompts',
    id: 'listPrompts',
    tag: 'Admin',
    summary: 'List stored requests, newest first, without their texts.',
    description: requiresRole(
      'admin',
      'Requests are stored only for keys with `log_prompts`. Filters are combined with AND.',
    ),
    ...pageOfList({
      schema: promptPage,
      example: { total: 1, items: [HEAD] },
      parameters: [
        text('user_id', 'Only requests of this user.', HEAD.user_id),
        text('api_key_id', 'Only requests with this key.', HEAD.api_key_id),
        text('model', 'Only requests to this model.', HEAD.model),
        text('request_id', 'Only this request.', HEAD.request_id),
        text('from', 'Start time, inclusive.', '2026-01-01T00:00:00Z'),
        text('to', 'End time, exclusive.', '2026-02-01'),
      ],
      errors: STORE_ERRORS,
    }),
  },
  {
    method: 'get',
    path: '/v1/admin/prompts/{request_id}',
    id: 'getPrompt',
    tag: 'Admin',
    summary: 'Get a stored request and its answer.',
    description: requiresRole('admin', 'That it was read is recorded in the audit log.'),
    parameters: [
      { name: 'request_id', description: '`X-Request-Id` of the request.', example: HEAD.request_id },
    ],
    answer: answerOf('The request, or all with this id, oldest first.', prompts, [
      { ...HEAD, request: REQUEST, answer: 'Hello! How can I help you?' },
    ]),
    errors: [404, ...STORE_ERRORS],
  },
];
