import { STATUS_FILTERS } from '../../accounts/ledger/ledger.ts';
import { answerOf, wholeNumber } from '#serve/http/openapi/describe.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { oneOf } from '#serve/http/schemas.ts';
import { KEY_ERRORS } from '../http/operations.ts';
import { USAGE_LOG } from '../usage/operations.ts';
import { SCOPE_OPERATION_PARAMETERS, SCOPE_RULE, TIME_PARAMETERS } from '../usage/scope-operations.ts';
import { REQUEST_LIMIT } from './query.ts';
import { liveRequests, requestDetails, requestPage } from './schemas.ts';

const text = (name: string, description: string, example: string) =>
  ({ name, in: 'query', description, example }) as const;

export const REQUEST_OPERATIONS: readonly Operation[] = [
  {
    method: 'get',
    path: '/v1/requests',
    id: 'listRequests',
    tag: 'Usage',
    summary: 'List past requests, newest first.',
    description: `${SCOPE_RULE} Every filter has an index, so that the number of requests does not matter.`,
    parameters: [
      ...SCOPE_OPERATION_PARAMETERS,
      text('model', 'Only requests to this model, `provider:model`.', USAGE_LOG.model),
      {
        ...text('status', 'Only requests with this outcome.', 'error'),
        schema: oneOf(STATUS_FILTERS, { default: 'any' }),
      },
      ...TIME_PARAMETERS,
      text('cursor', '`next` of the page before.', `1769860800250_${USAGE_LOG.id}`),
      {
        name: 'limit',
        in: 'query',
        description: 'Maximum number of items.',
        example: REQUEST_LIMIT.fallback,
        schema: wholeNumber(REQUEST_LIMIT.min, REQUEST_LIMIT.max, REQUEST_LIMIT.fallback),
      },
    ],
    answer: answerOf('A page of the list.', requestPage, { items: [USAGE_LOG], next: null }),
    errors: [422, ...KEY_ERRORS],
  },
  {
    method: 'get',
    path: '/v1/requests/live',
    id: 'listLiveRequests',
    tag: 'Usage',
    summary: 'List the requests in flight of this gateway process, oldest first.',
    description:
      'The master key and the roles admin and viewer see all, an API key that calls models its own, and a member the own ones and those of teams with the role admin.',
    answer: answerOf('The requests.', liveRequests, [
      {
        request_id: USAGE_LOG.request_id,
        endpoint: USAGE_LOG.endpoint,
        started_at: USAGE_LOG.timestamp,
        duration_ms: 2100,
        user_id: 'ada',
        api_key_id: USAGE_LOG.api_key_id,
        team_id: null,
        model: USAGE_LOG.model,
        attempts: [{ model: USAGE_LOG.model, outcome: 'answered', failure: null, duration_ms: 210 }],
      },
    ]),
    errors: KEY_ERRORS,
  },
  {
    method: 'get',
    path: '/v1/requests/{id}',
    id: 'getRequest',
    tag: 'Usage',
    summary: 'Get a past request with its attempts and the parts of its cost.',
    description: 'Requests that the caller cannot see are not found.',
    parameters: [{ name: 'id', description: '`id` of a usage row of the request.', example: USAGE_LOG.id }],
    answer: answerOf('The request.', requestDetails, {
      id: USAGE_LOG.id,
      request_id: USAGE_LOG.request_id,
      attempts: [
        {
          usage: USAGE_LOG,
          cost_parts: [
            { part: 'input', tokens: 200, price_per_million: 0.25, cost: 0.00005 },
            { part: 'output', tokens: 50, price_per_million: 2, cost: 0.0001 },
          ],
        },
      ],
    }),
    errors: KEY_ERRORS,
  },
];
