import { Type } from 'typebox';
import { answerOf } from '#serve/http/openapi/describe.ts';
import type { Route } from '#serve/http/route.ts';
import { closed, oneOf, orNull } from '#serve/http/schemas.ts';
import type { GatewayContext } from '../context.ts';
import { USAGE_STATUSES } from '../shared/record-words.ts';
import { count, time } from './http/fields.ts';
import { pageOfList, pageOf, refuseUnknownParameters } from './http/lists.ts';
import type { HttpParts } from './http/parts.ts';
import { PROMPT_PARAMETER_NAMES, PROMPT_PARAMETERS, promptFilterOf } from './prompt-filters.ts';
import { promptHeadView, promptView } from './views/records.ts';

const textOrNull = (description: string) => orNull(Type.String({ description }));

const head = {
  id: Type.String(),
  at: time('Start of the request.'),
  request_id: Type.String({ description: '`X-Request-Id` of the request, as in its usage row.' }),
  user_id: textOrNull('User who was billed.'),
  api_key_id: textOrNull('Key of the request; null for the master key.'),
  model: Type.String({ description: 'Model that responded, or that was requested.' }),
  endpoint: Type.String({ description: 'Path of the endpoint.' }),
  status: oneOf(USAGE_STATUSES),
  status_code: orNull(Type.Integer(), 'HTTP status of the response.'),
  tags: Type.Array(Type.String(), { description: 'Request tags.' }),
  truncated: Type.Boolean({ description: 'Whether a text was truncated at `prompt_log.max_characters`.' }),
};

export const promptPage = closed('PromptPage', {
  total: count('Number of matching requests.'),
  items: Type.Array(closed('PromptHead', head)),
});

export const prompts = Type.Array(
  closed('Prompt', {
    ...head,
    request: Type.String({ description: 'Request body as JSON, without secrets. It can be truncated.' }),
    answer: textOrNull('Model output as text; the parts of a stream are joined. Null if there is no output.'),
  }),
);

const HEAD = {
  id: '019cab3c-5200-7000-8f4e-5a1d0c2b7e91',
  at: '2026-03-01T12:00:00Z',
  request_id: '6a1d1f4e-2b2c-4e38-9f25-6f6c4a2d3e11',
  user_id: 'ada',
  api_key_id: '0f4c2c1e-8c1f-4a51-9e62-0b6ad1d0c9b7',
  model: 'openai:gpt-5-mini',
  endpoint: '/v1/chat/completions',
  status: 'success',
  status_code: 200,
  tags: ['search'],
  truncated: false,
};
const REQUEST = '{"model":"openai:gpt-5-mini","messages":[{"role":"user","content":"Hello"}]}';

/** `/v1/admin/prompts`: stored requests and responses. */
export function promptRoutes({ state }: GatewayContext, { guards, route }: HttpParts): readonly Route[] {
  const { promptLog } = state;

  return [
    route({
      method: 'get',
      path: '/v1/admin/prompts',
      guard: guards.admin,
      id: 'listPrompts',
      tag: 'Admin',
      summary: 'List stored requests, newest first, without their texts.',
      description: 'Requests are stored only for keys with `log_prompts`. Filters are combined with AND.',
      ...pageOfList({
        schema: promptPage,
        example: { total: 1, items: [HEAD] },
        parameters: PROMPT_PARAMETERS,
      }),
      run: async (c) => {
        refuseUnknownParameters(c, PROMPT_PARAMETER_NAMES);
        const { total, prompts } = await promptLog.list(promptFilterOf(c), pageOf(c));
        return { total, items: prompts.map(promptHeadView) };
      },
    }),
    route({
      method: 'get',
      path: '/v1/admin/prompts/:request_id',
      guard: guards.admin,
      id: 'getPrompt',
      tag: 'Admin',
      summary: 'Get a stored request and its response.',
      description: 'Each read is recorded in the audit log.',
      parameters: [
        { name: 'request_id', description: '`X-Request-Id` of the request.', example: HEAD.request_id },
      ],
      answer: answerOf('The request, or all requests with this ID, oldest first.', prompts, [
        { ...HEAD, request: REQUEST, answer: 'Hello! How can I help you?' },
      ]),
      run: async (c) => (await promptLog.read(c.req.param('request_id'))).map(promptView),
    }),
  ];
}
