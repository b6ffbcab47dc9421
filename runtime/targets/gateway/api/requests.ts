import type { Context } from 'hono';
import { AppError } from '#contract/errors.ts';
import { answerOf, wholeNumber } from '#serve/http/openapi/describe.ts';
import { wholeNumberOf, wordOf } from '#serve/http/query.ts';
import type { Route } from '#serve/http/route.ts';
import { oneOf } from '#serve/http/schemas.ts';
import { notFound } from '../accounts/identity/checks.ts';
import type { Caller, Identity } from '../accounts/identity/identity.ts';
import { administersTeam, originOf, readsEverything } from '../accounts/identity/manager.ts';
import { STATUS_FILTERS } from '../accounts/ledger/ledger.ts';
import type { RequestFilter, RequestOwners, RequestPlace } from '../accounts/ledger/request-list.ts';
import { SCOPE_COLUMNS } from '../accounts/ledger/trends/sum-scopes.ts';
import type { TrendScope } from '../accounts/ledger/trends/trends-api.ts';
import type { GatewayContext } from '../context.ts';
import type { LiveRequest } from '../requests/completions/completion.ts';
import type { UsageRow } from '../store/schema.ts';
import { callerOf } from './guards.ts';
import { refuseUnknownParameters } from './http/lists.ts';
import type { HttpParts } from './http/parts.ts';
import { momentOf } from './http/values.ts';
import { liveRequests, requestDetails, requestPage } from './requests-schemas.ts';
import { USAGE_LOG, SCOPE_OPERATION_PARAMETERS, SCOPE_RULE, TIME_PARAMETERS, permitScope } from './usage.ts';
import { usageLogView, costParts, liveRequestView } from './views/records.ts';

const PARAMETERS = ['user_id', 'api_key_id', 'team_id', 'model', 'status', 'from', 'to', 'cursor', 'limit'];
const REQUEST_LIMIT = { min: 1, max: 500, fallback: 50 };

interface RequestQuery {
  readonly filter: RequestFilter;
  readonly after: RequestPlace | undefined;
  readonly limit: number;
}

/** Parses a query for past requests. Whether the caller can read the requests is checked separately. */
function requestQuery(c: Context): RequestQuery {
  refuseUnknownParameters(c, PARAMETERS);
  const status = wordOf(c, 'status', STATUS_FILTERS, 'any');
  return {
    filter: {
      model: c.req.query('model') || undefined,
      status: status === 'any' ? undefined : status,
      from: momentOf(c, 'from'),
      to: momentOf(c, 'to'),
    },
    after: placeOf(c.req.query('cursor')),
    limit: wholeNumberOf(c, 'limit', REQUEST_LIMIT),
  };
}

const cursorOf = ({ timestamp, id }: RequestPlace): string => `${timestamp}_${id}`;

function placeOf(cursor: string | undefined): RequestPlace | undefined {
  if (cursor === undefined || cursor === '') return undefined;
  const [, timestamp, id] = /^(\d{1,15})_([\w.-]{1,100})$/.exec(cursor) ?? [];
  if (timestamp !== undefined && id !== undefined) return { timestamp: Number(timestamp), id };
  const message = `cursor must be the \`next\` value of a response, not ${JSON.stringify(cursor.slice(0, 80))}`;
  throw new AppError('InputError', message, { details: [{ location: 'query.cursor', message }] });
}

const text = (name: string, description: string, example: string) =>
  ({ name, in: 'query', description, example }) as const;

/** `/v1/requests`: requests in flight and past requests, with their attempts. */
export function requestRoutes(context: GatewayContext, { guards, route }: HttpParts): readonly Route[] {
  const { state, clock, completions, threads } = context;
  const { requests, identity } = state;

  return [
    route({
      method: 'get',
      path: '/v1/requests',
      guard: guards.anyKey,
      id: 'listRequests',
      tag: 'Usage',
      summary: 'List past requests, newest first.',
      description: `${SCOPE_RULE} Every filter is indexed, so performance does not depend on the number of requests.`,
      parameters: [
        ...SCOPE_OPERATION_PARAMETERS,
        text('model', 'Only requests to this model, `provider:model`.', USAGE_LOG.model),
        {
          ...text('status', 'Only requests with this outcome.', 'error'),
          schema: oneOf(STATUS_FILTERS, { default: 'any' }),
        },
        ...TIME_PARAMETERS,
        text('cursor', '`next` of the previous page.', `1769860800250_${USAGE_LOG.id}`),
        {
          name: 'limit',
          in: 'query',
          description: 'Maximum number of items.',
          example: REQUEST_LIMIT.fallback,
          schema: wholeNumber(REQUEST_LIMIT.min, REQUEST_LIMIT.max, REQUEST_LIMIT.fallback),
        },
      ],
      answer: answerOf('A page of the list.', requestPage, { items: [USAGE_LOG], next: null }),
      run: async (c) => {
        const { filter, after, limit } = requestQuery(c);
        const { scope, isReader, since } = await permitScope(c, identity);
        const own = { ...filter, ...filterOf(scope), from: Math.max(filter.from ?? 0, since) };
        const found = await requests.list(own, after, limit + 1);
        const rows = found.slice(0, limit);
        const last = rows.at(-1);
        return {
          items: rows.map((row) => usageLogView(row, isReader)),
          next: found.length > limit && last ? cursorOf(last) : null,
        };
      },
    }),
    route({
      method: 'get',
      path: '/v1/requests/live',
      guard: guards.anyKey,
      id: 'listLiveRequests',
      tag: 'Usage',
      summary: 'List the requests in flight in this gateway process, oldest first.',
      description:
        'The master key and the roles admin and viewer see all requests; an API key that calls models sees its own; a member sees their own and those of teams in which they have the role admin.',
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
      run: async (c) => {
        const { isOwn } = await sightOf(callerOf(c), identity);
        const now = clock.now();
        return (await threads.live(completions.live()))
          .filter((one) => isOwn(one, one.startedAt))
          .map((one) => liveRequestView(one, now));
      },
    }),
    route({
      method: 'get',
      path: '/v1/requests/:id',
      guard: guards.anyKey,
      id: 'getRequest',
      tag: 'Usage',
      summary: 'Get a past request with its attempts and cost breakdown.',
      description: 'Requests that the caller cannot see return 404.',
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
      run: async (c) => {
        const { isReader, isOwn } = await sightOf(callerOf(c), identity);
        const id = c.req.param('id');
        const rows = (await requests.attempts(id)).filter((row) => isOwn(ownersOf(row), row.timestamp));
        const last = rows.at(-1);
        if (!last) throw notFound(`Request '${id.slice(0, 100)}' not found`, 'request_not_found');
        const attempts = await Promise.all(
          rows.map(async (row) => ({
            usage: usageLogView(row, isReader),
            cost_parts: (await costParts(context, row)) ?? null,
          })),
        );
        return { id: last.id.split('.', 1)[0] ?? last.id, request_id: last.request_id, attempts };
      },
    }),
  ];
}

const FILTERS = { user: 'userId', key: 'keyId', team: 'teamId', organization: 'organizationId' } as const;

/** The filter for a scope. */
export const filterOf = (scope: TrendScope | undefined) => (scope ? { [FILTERS[scope.kind]]: scope.id } : {});

type Owners = Pick<LiveRequest, 'userId' | 'keyId' | 'teamId'>;

export const ownersOf = (row: UsageRow): Owners => ({
  userId: row[SCOPE_COLUMNS.user] ?? undefined,
  keyId: row[SCOPE_COLUMNS.key] ?? undefined,
  teamId: row[SCOPE_COLUMNS.team] ?? undefined,
});

interface Sight {
  readonly isReader: boolean;
  /** Narrows down a query; `isOwn` decides. Undefined for a caller that sees everything. */
  readonly owners: RequestOwners | undefined;
  readonly isOwn: (owners: Owners, time: number) => boolean;
}

/** Which requests a caller can see. */
export async function sightOf(caller: Caller, identity: Identity): Promise<Sight> {
  if (caller.kind === 'key' && caller.key.scope === 'models') {
    const { id: keyId } = caller.key;
    return { isReader: false, owners: { keyId }, isOwn: (owners) => owners.keyId === keyId };
  }
  const manager = await identity.manager(caller);
  if (readsEverything(manager)) return { isReader: true, owners: undefined, isOwn: () => true };
  const administered = manager.memberships.filter(({ role }) => role === 'admin');
  return {
    isReader: false,
    owners: { userId: manager.userId ?? undefined, teamIds: administered.map(({ teamId }) => teamId) },
    isOwn: ({ userId, teamId }, time) =>
      (userId !== undefined && userId === manager.userId && time >= originOf(manager, 'user', userId)) ||
      (teamId !== undefined && administersTeam(manager, teamId) && time >= originOf(manager, 'team', teamId)),
  };
}
