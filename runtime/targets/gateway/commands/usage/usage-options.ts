import { USAGE_STATUSES } from '../../accounts/ledger/ledger.ts';
import { commonOptions } from '#serve/cli/common-options.ts';
import { type Invocation, type Option, UsageError } from '#serve/cli/command.ts';
import { isTimeZone } from '#core/time/calendar.ts';
import { list } from '#serve/cli/values.ts';
import { suggest } from '#core/text/suggest.ts';
import type { UsageFilter, UsageGrouping, UsageInterval } from '../../accounts/ledger/usage-api.ts';
import { USAGE_GROUPINGS, USAGE_INTERVALS } from '../../accounts/ledger/usage-api.ts';
import { pastTimeOf } from '../options/time-options.ts';

export const USAGE_OPTIONS = {
  user: { value: 'user_id', help: 'Only requests of this user' },
  key: { value: 'id|name|prefix', help: 'Only requests with this key' },
  team: { value: 'team_id', help: 'Only requests of this team' },
  org: { value: 'organization_id', help: 'Only requests of this organization' },
  model: { value: 'model', help: 'Only requests to this model; the provider prefix can be omitted' },
  provider: { value: 'name', help: 'Only requests to this provider' },
  endpoint: { value: 'path', help: 'Only requests to this route, e.g. /v1/chat/completions' },
  status: { value: 'status', help: 'Only requests with this outcome', choices: USAGE_STATUSES },
  'request-id': { value: 'id', help: 'Only the request with this X-Request-Id' },
  'end-user': { value: 'name', help: "Only requests that name this user of the client's own" },
  tag: { value: 'tag', help: 'Only requests with this tag' },
  from: { value: 'time', help: 'Start: a duration before now, e.g. 24h, or a date, e.g. 2026-01-31' },
  to: { value: 'time', help: 'End, exclusive: a duration before now, e.g. 1h, or a date, e.g. 2026-02-28' },
  'group-by': {
    value: 'words',
    help: `Aggregate by one or more of ${USAGE_GROUPINGS.join(', ')}, comma-separated`,
  },
  interval: { value: 'length', help: 'Aggregate over time', choices: USAGE_INTERVALS },
  'time-zone': { value: 'zone', help: 'Time zone of --interval, e.g. Europe/Berlin', defaultText: 'UTC' },
  ...commonOptions({ limit: { help: 'Maximum number of requests or groups', fallback: '20' } }),
  csv: { help: 'Print all matching requests as CSV, oldest first' },
} satisfies Readonly<Record<string, Option>>;

/** Reads the filters. The key is read apart, because it has to be looked up in the database. */
export const filterOf = (invocation: Invocation, now: number): Omit<UsageFilter, 'keyId'> => ({
  userId: invocation.value('user'),
  teamId: invocation.value('team'),
  organizationId: invocation.value('org'),
  model: invocation.value('model'),
  provider: invocation.value('provider'),
  endpoint: invocation.value('endpoint'),
  status: invocation.value('status'),
  requestId: invocation.value('request-id'),
  endUser: invocation.value('end-user'),
  tag: invocation.value('tag'),
  from: pastTimeOf(invocation, 'from', now),
  to: pastTimeOf(invocation, 'to', now),
});

/** The requested form of the report. */
export type UsageShape =
  | { readonly kind: 'requests' }
  | { readonly kind: 'csv' }
  | { readonly kind: 'groups'; readonly by: readonly UsageGrouping[] }
  | { readonly kind: 'series'; readonly interval: UsageInterval; readonly timeZone: string | undefined };

export function shapeOf(invocation: Invocation): UsageShape {
  const by = list(invocation, 'group-by').map(groupingOf);
  const interval = USAGE_INTERVALS.find((known) => known === invocation.value('interval'));
  const timeZone = invocation.value('time-zone');
  const shapes: UsageShape[] = [
    ...(invocation.flag('csv') ? [{ kind: 'csv' } as const] : []),
    ...(by.length > 0 ? [{ kind: 'groups', by } as const] : []),
    ...(interval ? [{ kind: 'series', interval, timeZone } as const] : []),
  ];
  if (timeZone !== undefined && !interval) throw new UsageError('--time-zone requires --interval.');
  if (timeZone !== undefined && !isTimeZone(timeZone))
    throw new UsageError(
      `--time-zone: ${JSON.stringify(timeZone)} is not a time zone. Use a name such as Europe/Berlin or UTC.`,
    );
  if (shapes.length > 1) throw new UsageError('--group-by, --interval and --csv conflict; use one of them.');
  if (invocation.flag('csv') && invocation.flag('json'))
    throw new UsageError('--csv conflicts with --json; use one of them.');
  return shapes[0] ?? { kind: 'requests' };
}

function groupingOf(word: string): UsageGrouping {
  const known = USAGE_GROUPINGS.find((grouping) => grouping === word);
  if (known) return known;
  const suggestion = suggest(word, USAGE_GROUPINGS);
  const hint = suggestion === undefined ? '' : ` Did you mean ${suggestion}?`;
  throw new UsageError(
    `--group-by: ${JSON.stringify(word)} is not one of ${USAGE_GROUPINGS.join(', ')}.${hint}`,
  );
}
