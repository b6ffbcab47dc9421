import { commonOptions } from '../../../../serve/cli/common-options.ts';
import { type Invocation, type Option, UsageError } from '../../../../serve/cli/command.ts';
import { list } from '../../../../serve/cli/values.ts';
import { suggest } from '../../../../core/text/suggest.ts';
import type { UsageFilter, UsageGrouping, UsageInterval } from '../../accounts/ledger/usage-api.ts';
import { GROUPINGS, INTERVALS } from '../../front/usage/query.ts';
import { pastOf } from '../options/moment-option.ts';

export const USAGE_OPTIONS = {
  user: { value: 'user_id', help: 'Of this user' },
  key: { value: 'id|name|prefix', help: 'With this key' },
  model: { value: 'model', help: 'Answered by this model, as provider:model, or without its provider' },
  provider: { value: 'name', help: 'Answered by this provider' },
  endpoint: { value: 'path', help: 'On this route, as /v1/chat/completions' },
  status: { value: 'status', help: 'With this outcome', choices: ['success', 'error'] },
  'request-id': { value: 'id', help: 'The request of this X-Request-Id' },
  from: { value: 'time', help: 'Not before, as 24h ago or 2026-01-31' },
  to: { value: 'time', help: 'Before this, as 1h ago or 2026-02-28' },
  'group-by': { value: 'words', help: `Sums by ${GROUPINGS.join(', ')}, or several with commas` },
  interval: { value: 'length', help: 'Sums over time', choices: INTERVALS },
  ...commonOptions({ limit: { help: 'Maximum number of requests or groups', fallback: '20' } }),
  csv: { help: 'Print all requests as CSV, the oldest first' },
} satisfies Readonly<Record<string, Option>>;

/** What the command line says of requests; the key apart, which has to be looked up, as has the model. */
export const filterOf = (invocation: Invocation, now: number): Omit<UsageFilter, 'keyId'> => ({
  userId: invocation.value('user'),
  model: invocation.value('model'),
  provider: invocation.value('provider'),
  endpoint: invocation.value('endpoint'),
  status: invocation.value('status'),
  requestId: invocation.value('request-id'),
  from: pastOf(invocation, 'from', now),
  to: pastOf(invocation, 'to', now),
});

/** What is wanted of them. */
export type UsageShape =
  | { readonly kind: 'requests' }
  | { readonly kind: 'csv' }
  | { readonly kind: 'groups'; readonly by: readonly UsageGrouping[] }
  | { readonly kind: 'series'; readonly interval: UsageInterval };

export function shapeOf(invocation: Invocation): UsageShape {
  const by = list(invocation, 'group-by').map(groupingOf);
  const interval = INTERVALS.find((known) => known === invocation.value('interval'));
  const wanted: UsageShape[] = [
    ...(invocation.flag('csv') ? [{ kind: 'csv' } as const] : []),
    ...(by.length > 0 ? [{ kind: 'groups', by } as const] : []),
    ...(interval ? [{ kind: 'series', interval } as const] : []),
  ];
  if (wanted.length > 1) throw new UsageError('Give one of --group-by, --interval and --csv.');
  if (invocation.flag('csv') && invocation.flag('json')) throw new UsageError('Give either --csv or --json.');
  return wanted[0] ?? { kind: 'requests' };
}

function groupingOf(word: string): UsageGrouping {
  const known = GROUPINGS.find((grouping) => grouping === word);
  if (known) return known;
  const meant = suggest(word, GROUPINGS);
  const wayOut = meant === undefined ? '' : ` Did you mean ${meant}?`;
  throw new UsageError(`--group-by: ${JSON.stringify(word)} is not one of ${GROUPINGS.join(', ')}.${wayOut}`);
}
