import type { Context } from 'hono';
import { Type } from 'typebox';
import { AppError } from '#contract/errors.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { wordOf } from '#serve/http/query.ts';
import type { ShellEnv } from '#serve/http/request-state.ts';
import type { Route } from '#serve/http/route.ts';
import { oneOf } from '#serve/http/schemas.ts';
import type { Caller, Identity, Manager } from '../accounts/identity/identity.ts';
import { requireVisibleKey } from '../accounts/identity/key-policy.ts';
import { administersTeam, originOf, readsEverything } from '../accounts/identity/manager.ts';
import { STATUS_FILTERS } from '../accounts/ledger/ledger.ts';
import type { TrendScope } from '../accounts/ledger/trends/trends-api.ts';
import {
  USAGE_GROUPINGS,
  USAGE_INTERVALS,
  type UsageFilter,
  type UsageGrouping,
  type UsageInterval,
  type UsageReports,
} from '../accounts/ledger/usage-api.ts';
import { usageZoneProblem } from '../accounts/ledger/usage-zones.ts';
import { usedModels } from '../accounts/ledger/used-models.ts';
import type { GatewayContext } from '../context.ts';
import { callerOf } from './guards.ts';
import { csvAnswer } from './http/answers.ts';
import { FORMATS, refuseUnknownParameters, PAGE_PARAMETERS, pageOf } from './http/lists.ts';
import type { HttpParts } from './http/parts.ts';
import { momentOf } from './http/values.ts';
import { usageReport } from './usage-schemas.ts';
import { usageGroupView, usageLogView, usagePointView, usageTotalsView } from './views/records.ts';

const PARAMETERS = [
  'user_id',
  'api_key_id',
  'team_id',
  'organization_id',
  'model',
  'provider',
  'endpoint',
  'status',
  'request_id',
  'end_user',
  'tag',
  'from',
  'to',
  'group_by',
  'interval',
  'time_zone',
  'format',
  'skip',
  'limit',
];

interface UsageQuery {
  readonly filter: UsageFilter;
  readonly by: readonly UsageGrouping[];
  readonly interval: UsageInterval | undefined;
  readonly timeZone: string | undefined;
  readonly asCsv: boolean;
}

/** Parses a usage query. An API key that calls models only sees its own usage. */
function usageQuery(c: Context, caller: Caller): UsageQuery {
  refuseUnknownParameters(c, PARAMETERS);
  const status = wordOf(c, 'status', STATUS_FILTERS, 'any');
  const interval =
    queryValue(c, 'interval') === undefined ? undefined : wordOf(c, 'interval', USAGE_INTERVALS, 'day');
  return {
    filter: {
      userId: queryValue(c, 'user_id'),
      keyId: keyOf(caller, queryValue(c, 'api_key_id')),
      teamId: queryValue(c, 'team_id'),
      organizationId: queryValue(c, 'organization_id'),
      model: queryValue(c, 'model'),
      provider: queryValue(c, 'provider'),
      endpoint: queryValue(c, 'endpoint'),
      status: status === 'any' ? undefined : status,
      requestId: queryValue(c, 'request_id'),
      endUser: queryValue(c, 'end_user'),
      tag: queryValue(c, 'tag'),
      from: momentOf(c, 'from'),
      to: momentOf(c, 'to'),
    },
    by: groupings(c.req.queries('group_by') ?? []),
    interval,
    timeZone: timeZoneOf(queryValue(c, 'time_zone'), interval),
    asCsv:
      wordOf(c, 'format', FORMATS, /\btext\/csv\b/i.test(c.req.header('Accept') ?? '') ? 'csv' : 'json') ===
      'csv',
  };
}

const queryValue = (c: Context, name: string): string | undefined => c.req.query(name) || undefined;

function timeZoneOf(timeZone: string | undefined, interval: UsageInterval | undefined): string | undefined {
  if (timeZone === undefined) return undefined;
  if (interval === undefined)
    throw queryProblem('time_zone', 'time_zone requires interval. Set interval, or omit time_zone.');
  return checkedZone(timeZone);
}

/** Returns the time zone if usage can be grouped in it. */
export function checkedZone(timeZone: string): string {
  const problem = usageZoneProblem(timeZone);
  if (problem === undefined) return timeZone;
  throw queryProblem('time_zone', problem);
}

function keyOf(caller: Caller, keyId: string | undefined): string | undefined {
  if (caller.kind === 'master' || caller.key.scope === 'manage') return keyId;
  if (keyId === undefined || keyId === caller.key.id) return caller.key.id;
  throw new AppError('ForbiddenError', 'An API key can only read its own usage. Omit api_key_id.', {
    reason: 'foreign_usage',
    details: [{ location: 'query.api_key_id', message: 'not the id of the caller’s key' }],
  });
}

function groupings(values: readonly string[]): UsageGrouping[] {
  const words = values.flatMap((text) => text.split(',')).map((word) => word.trim().toLowerCase());
  const named = words.filter((word) => word !== '');
  return [...new Set(named)].map((word) => {
    const grouping = USAGE_GROUPINGS.find((candidate) => candidate === word);
    if (grouping !== undefined) return grouping;
    throw queryProblem(
      'group_by',
      `group_by must be one or more of ${USAGE_GROUPINGS.join(', ')}, comma-separated, not ${quoted(word)}`,
    );
  });
}

const quoted = (text: string): string => JSON.stringify(text.slice(0, 100));

const queryProblem = (name: string, message: string): AppError =>
  new AppError('InputError', message, { details: [{ location: `query.${name.slice(0, 64)}`, message }] });

/** Query parameters that select whose usage is returned. */
export const SCOPE_PARAMETERS = {
  user: 'user_id',
  key: 'api_key_id',
  team: 'team_id',
  organization: 'organization_id',
} as const satisfies Readonly<Record<TrendScope['kind'], string>>;

/** Whose usage a caller gets, and whether the caller can read everything. */
export interface PermittedScope {
  /** Whose usage; undefined for everyone's. */
  readonly scope: TrendScope | undefined;
  readonly isReader: boolean;
  /** Start of the visible usage: when the user or team was created, because its ID may have been used before. */
  readonly since: number;
}

/**
 * Determines whose usage is requested, and checks that the caller can read it. An API key that calls models
 * can read its own usage. A member can read the usage of their own user, of visible keys, and of teams in
 * which they have the role `admin`.
 */
export async function permitScope(c: Context<ShellEnv>, identity: Identity): Promise<PermittedScope> {
  const wanted = wantedScope(c);
  const caller = callerOf(c);
  if (caller.kind === 'key' && caller.key.scope === 'models') {
    const own: TrendScope = { kind: 'key', id: caller.key.id };
    if (wanted && (wanted.kind !== 'key' || wanted.id !== own.id))
      throw foreign(
        'An API key can only read its own usage. Omit the filter.',
        SCOPE_PARAMETERS[wanted.kind],
      );
    return { scope: own, isReader: false, since: 0 };
  }
  const manager = await identity.manager(caller);
  if (manager.userId === null || readsEverything(manager)) return { scope: wanted, isReader: true, since: 0 };
  const scope = await permitMember(manager, manager.userId, wanted, identity);
  const isGroup = scope.kind === 'user' || scope.kind === 'team';
  return { scope, isReader: false, since: isGroup ? originOf(manager, scope.kind, scope.id) : 0 };
}

async function permitMember(
  manager: Manager,
  userId: string,
  wanted: TrendScope | undefined,
  { keys }: Pick<Identity, 'keys'>,
): Promise<TrendScope> {
  if (!wanted || (wanted.kind === 'user' && wanted.id === userId)) return { kind: 'user', id: userId };
  if (wanted.kind === 'team' && administersTeam(manager, wanted.id)) return wanted;
  if (wanted.kind === 'key') {
    requireVisibleKey(manager, await keys.get(wanted.id));
    return wanted;
  }
  throw foreign(ownUsageOnly(userId), SCOPE_PARAMETERS[wanted.kind]);
}

function wantedScope(c: Context): TrendScope | undefined {
  const named = (['user', 'key', 'team', 'organization'] as const).flatMap((kind) => {
    const id = c.req.query(SCOPE_PARAMETERS[kind]);
    return id ? [{ kind, id }] : [];
  });
  const [scope, other] = named;
  if (!other) return scope;
  const message = `${Object.values(SCOPE_PARAMETERS).join(', ')} are mutually exclusive. Use only one of them.`;
  throw new AppError('InputError', message, {
    details: [{ location: `query.${SCOPE_PARAMETERS[other.kind]}`, message }],
  });
}

const ownUsageOnly = (userId: string): string =>
  `User '${userId}' can read only their own usage and that of teams in which they have the role admin.`;

const foreign = (message: string, parameter: string, problem = 'not the usage of the caller'): AppError =>
  new AppError('ForbiddenError', message, {
    reason: 'foreign_usage',
    details: [{ location: `query.${parameter}`, message: problem }],
  });

/**
 * Restricts usage to what a manager can see: the user's own, or that of a team that the user administers,
 * excluding earlier users or teams with the same ID.
 */
function permitUsage(manager: Manager, filter: UsageFilter): UsageFilter {
  const { userId } = manager;
  if (userId === null || readsEverything(manager)) return filter;
  if (filter.teamId !== undefined && administersTeam(manager, filter.teamId))
    return since(originOf(manager, 'team', filter.teamId), filter);
  if (filter.userId === undefined || filter.userId === userId)
    return since(originOf(manager, 'user', userId), { ...filter, userId });
  throw foreign(
    `${ownUsageOnly(userId)} Omit user_id, or set team_id.`,
    'user_id',
    'not the id of the caller’s user',
  );
}

/** Only usage from this time on is included. */
const since = <Filter extends { readonly from?: number | undefined }>(
  time: number,
  filter: Filter,
): Filter => ({ ...filter, from: Math.max(filter.from ?? 0, time) });

type Parameter = NonNullable<Operation['parameters']>[number];

const parameter = (name: string, description: string, example: string): Parameter => ({
  name,
  in: 'query',
  description,
  example,
});

/** Mutually exclusive parameters that select whose usage is returned. */
export const SCOPE_OPERATION_PARAMETERS: readonly Parameter[] = [
  parameter('user_id', 'Only requests from this user.', 'ada'),
  parameter('api_key_id', 'Only requests with this key.', '0f4c2c1e-8c1f-4a51-9e62-0b6ad1d0c9b7'),
  parameter('team_id', 'Only requests from this team.', 'research'),
];

export const ORGANIZATION_PARAMETER = parameter(
  'organization_id',
  'Only requests from this organization.',
  'acme',
);

export const TIME_PARAMETERS: readonly Parameter[] = [
  parameter('from', 'Start time, inclusive.', '2026-01-01T00:00:00Z'),
  parameter('to', 'End time, exclusive.', '2026-02-01'),
];

/** Whose usage is returned. */
export const SCOPE_RULE =
  'The master key and the roles admin and viewer see all usage; an API key that calls models only sees its own. A member sees their own usage, the usage of keys they can see, and the usage of teams in which they have the role admin.';

export const USAGE_LOG = {
  id: '01985b4a-7b60-7c1e-a5f3-0d4fd2a1b9c0',
  user_id: 'ada',
  api_key_id: '0f4c2c1e-8c1f-4a51-9e62-0b6ad1d0c9b7',
  team_id: 'research',
  organization_id: 'acme',
  timestamp: '2026-01-31T12:00:00.25Z',
  model: 'openai:gpt-5-mini',
  provider: 'openai',
  endpoint: '/v1/chat/completions',
  prompt_tokens: 200,
  completion_tokens: 50,
  cached_tokens: 0,
  cache_write_tokens: 0,
  cache_write_1h_tokens: 0,
  total_tokens: 250,
  cost: 0.00015,
  cache_saved: null,
  priced_by: 'map 2026-11-26 openai:gpt-5-mini',
  status: 'success',
  error_message: null,
  status_code: 200,
  latency_ms: 830,
  ttft_ms: 210,
  usage_estimated: false,
  request_id: '6a1d1f4e-2b2c-4e38-9f25-6f6c4a2d3e11',
  end_user: null,
  cache_hit: null,
  tags: ['search'],
  units: { web_searches: 2 },
  attempt: 1,
};

const TOTALS = {
  requests: 1,
  errors: 0,
  cancelled: 0,
  prompt_tokens: 200,
  completion_tokens: 50,
  cached_tokens: 0,
  cache_write_tokens: 0,
  cache_write_1h_tokens: 0,
  total_tokens: 250,
  cost: 0.00015,
  cache_saved: 0,
};

/** `/v1/usage`: usage and its cost. */
export function usageRoutes({ state }: GatewayContext, { guards, route }: HttpParts): readonly Route[] {
  const { usage, identity } = state;

  return [
    route({
      method: 'get',
      path: '/v1/usage',
      guard: guards.anyKey,
      id: 'getUsage',
      tag: 'Usage',
      summary: 'Get usage and cost, per request or aggregated.',
      description:
        'The master key and the roles admin and viewer see all usage; an API key that calls models only sees its own. A member sees their own usage and, with `team_id`, the usage of a team in which they have the role admin. Filters are combined with AND. Times without a time zone are in UTC.',
      parameters: [
        parameter('user_id', 'Only requests from this user.', 'ada'),
        parameter('api_key_id', 'Only requests with this key.', USAGE_LOG.api_key_id),
        parameter('team_id', 'Only requests from this team.', 'research'),
        parameter('organization_id', 'Only requests from this organization.', 'acme'),
        parameter(
          'model',
          'Only requests to this model; the provider prefix can be omitted.',
          USAGE_LOG.model,
        ),
        parameter('provider', 'Only requests to this provider.', 'openai'),
        parameter('endpoint', 'Only requests to this endpoint.', USAGE_LOG.endpoint),
        {
          ...parameter('status', 'Only requests with this outcome.', 'success'),
          schema: oneOf(STATUS_FILTERS),
        },
        parameter('request_id', 'Only this request.', USAGE_LOG.request_id),
        parameter('end_user', 'Only requests with this client-side user ID.', 'customer-17'),
        parameter('tag', 'Only requests with this tag.', 'search'),
        parameter('from', 'Start time, inclusive.', '2026-01-01T00:00:00Z'),
        parameter('to', 'End time, exclusive.', '2026-02-01'),
        {
          ...parameter(
            'group_by',
            `Aggregate by ${USAGE_GROUPINGS.join(', ')}; comma-separated or repeated.`,
            'user,model',
          ),
          isList: true,
        },
        {
          ...parameter('interval', 'Aggregate over time; at most 10080 intervals.', 'day'),
          schema: oneOf(USAGE_INTERVALS),
        },
        parameter(
          'time_zone',
          'Time zone in which hours, days, weeks and months start (default: UTC). Weeks start on Monday.',
          'Europe/Berlin',
        ),
        {
          ...parameter(
            'format',
            '`csv` returns all matching rows, oldest first. `Accept: text/csv` does the same.',
            'json',
          ),
          schema: oneOf(FORMATS, { default: 'json' }),
        },
        ...PAGE_PARAMETERS,
      ],
      answer: {
        description: 'Totals of all matching requests, with the requested rows, groups or intervals.',
        schema: usageReport,
        examples: {
          logs: { totals: TOTALS, logs: [USAGE_LOG] },
          groups: {
            totals: TOTALS,
            groups: [{ group: { user: 'ada', model: USAGE_LOG.model }, ...TOTALS }],
          },
          series: { totals: TOTALS, series: [{ start: '2026-01-31T00:00:00Z', ...TOTALS }] },
        },
      },
      otherAnswers: [
        {
          mediaType: 'text/csv',
          schema: Type.String(),
          examples: { rows: `${Object.keys(USAGE_LOG).join(',')}\r\n` },
        },
      ],
      run: async (c) => {
        const caller = callerOf(c);
        const { filter: named, by, interval, timeZone, asCsv } = usageQuery(c, caller);
        const manager = isModelKey(caller) ? undefined : await identity.manager(caller);
        const filter = await withUsedModel(usage, manager ? permitUsage(manager, named) : named);
        const isAdmin = manager !== undefined && readsEverything(manager);
        if (by.includes('provider_key') && !isAdmin) throw foreignKeys();
        const page = pageOf(c);
        if (asCsv) return csvAnswer(c, usage.csv(filter), 'usage.csv');
        const isSummary = by.length > 0 || interval !== undefined;
        const [totals, logs, groups, points] = await Promise.all([
          usage.totals(filter),
          isSummary ? undefined : usage.list(filter, page),
          by.length > 0 ? usage.groups(filter, by, page) : undefined,
          interval && usage.series(filter, interval, { limit: MAX_POINTS + 1, timeZone }),
        ]);
        if (interval && points && points.length > MAX_POINTS) throw tooManyPoints(interval);
        return {
          totals: usageTotalsView(totals),
          ...(logs && { logs: logs.map((row) => usageLogView(row, isAdmin)) }),
          ...(groups && { groups: groups.map((group) => usageGroupView(by, group)) }),
          ...(points && { series: points.map((point) => usagePointView(point)) }),
        };
      },
    }),
  ];
}

const foreignKeys = (): AppError =>
  new AppError('ForbiddenError', 'Only the roles admin and viewer can group usage by provider_key.', {
    reason: 'foreign_usage',
    details: [{ location: 'query.group_by', message: 'provider_key requires the role admin or viewer' }],
  });

const isModelKey = (caller: Caller): boolean => caller.kind === 'key' && caller.key.scope === 'models';

/** Completes a model name. A model that was never used does not cause an error; it just has no usage. */
async function withUsedModel(usage: UsageReports, filter: UsageFilter): Promise<UsageFilter> {
  const { model, keyId, userId, teamId } = filter;
  if (model === undefined) return filter;
  const { matching } = await usedModels(usage, model, { keyId, userId, teamId });
  if (matching.length > 1) throw ambiguousModel(model, matching);
  return { ...filter, model: matching[0] ?? model };
}

function ambiguousModel(model: string, matching: readonly string[]): AppError {
  const message = `${JSON.stringify(model)} matches more than one model. Use one of ${matching.join(', ')}.`;
  return new AppError('InputError', message, { details: [{ location: 'query.model', message }] });
}

/** Maximum number of intervals: one week in minutes. */
const MAX_POINTS = 10_080;

function tooManyPoints(interval: UsageInterval): AppError {
  const message = `The time range has more than ${MAX_POINTS} intervals of one ${interval}. Use a shorter time range (from, to) or a longer interval.`;
  return new AppError('InputError', message, { details: [{ location: 'query.interval', message }] });
}
