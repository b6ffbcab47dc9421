import { STATUS_FILTERS } from '../../accounts/ledger/ledger.ts';
import type { Context } from 'hono';
import { AppError } from '#contract/errors.ts';
import { isTimeZone } from '#core/time/calendar.ts';
import { wordOf } from '#serve/http/query.ts';
import type { Caller } from '../../accounts/identity/identity.ts';
import {
  USAGE_GROUPINGS,
  USAGE_INTERVALS,
  type UsageFilter,
  type UsageGrouping,
  type UsageInterval,
} from '../../accounts/ledger/usage-api.ts';
import { momentOf } from '../http/values.ts';
import { FORMATS, refuseUnknownParameters } from '../http/lists.ts';

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

export interface UsageQuery {
  readonly filter: UsageFilter;
  readonly by: readonly UsageGrouping[];
  readonly interval: UsageInterval | undefined;
  readonly timeZone: string | undefined;
  readonly asCsv: boolean;
}

/** Reads a query of the usage. An API key that calls models sees only its own usage. */
export function usageQuery(c: Context, caller: Caller): UsageQuery {
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
  if (interval === undefined) throw queryProblem('time_zone', 'time_zone is for intervals. Set interval.');
  if (isTimeZone(timeZone)) return timeZone;
  const message = `${quoted(timeZone)} is not a time zone. Use a name such as Europe/Berlin or UTC.`;
  throw queryProblem('time_zone', message);
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
