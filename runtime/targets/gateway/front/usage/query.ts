import type { Context } from 'hono';
import { AppError } from '../../../../contract/errors.ts';
import { didYouMean } from '../../../../core/text/suggest.ts';
import { wordOf } from '../../../../serve/http/query.ts';
import type { Caller } from '../../accounts/identity/identity.ts';
import type { UsageFilter, UsageGrouping, UsageInterval } from '../../accounts/ledger/usage-api.ts';
import { momentOf } from '../http/values.ts';

export const GROUPINGS = ['user', 'key', 'model', 'provider', 'endpoint', 'status'] as const;
export const INTERVALS = ['minute', 'hour', 'day'] as const;
export const FORMATS = ['json', 'csv'] as const;
const STATUSES = ['any', 'success', 'error'] as const;

const PARAMETERS: ReadonlySet<string> = new Set([
  'user_id',
  'api_key_id',
  'model',
  'provider',
  'endpoint',
  'status',
  'request_id',
  'from',
  'to',
  'group_by',
  'interval',
  'format',
  'skip',
  'limit',
]);

export interface UsageQuery {
  readonly filter: UsageFilter;
  readonly by: readonly UsageGrouping[];
  readonly interval: UsageInterval | undefined;
  readonly asCsv: boolean;
}

/** What is asked of the usage. Whoever asks with a key is told of what was done with it, and of nothing else. */
export function usageQuery(c: Context, caller: Caller): UsageQuery {
  const query = new URL(c.req.url).searchParams;
  for (const name of query.keys()) if (!PARAMETERS.has(name)) throw unknownParameter(name);
  const status = wordOf(c, 'status', STATUSES, 'any');
  return {
    filter: {
      userId: given(c, 'user_id'),
      keyId: keyOf(caller, given(c, 'api_key_id')),
      model: given(c, 'model'),
      provider: given(c, 'provider'),
      endpoint: given(c, 'endpoint'),
      status: status === 'any' ? undefined : status,
      requestId: given(c, 'request_id'),
      from: momentOf(c, 'from'),
      to: momentOf(c, 'to'),
    },
    by: groupings(query.getAll('group_by')),
    interval: given(c, 'interval') === undefined ? undefined : wordOf(c, 'interval', INTERVALS, 'day'),
    asCsv:
      wordOf(c, 'format', FORMATS, /\btext\/csv\b/i.test(c.req.header('Accept') ?? '') ? 'csv' : 'json') ===
      'csv',
  };
}

const given = (c: Context, name: string): string | undefined => c.req.query(name) || undefined;

function keyOf(caller: Caller, asked: string | undefined): string | undefined {
  if (caller.kind === 'master') return asked;
  if (asked === undefined || asked === caller.key.id) return caller.key.id;
  throw new AppError('ForbiddenError', 'A key may only ask for its own usage; leave api_key_id out.', {
    reason: 'foreign_usage',
    details: [{ location: 'query.api_key_id', message: 'not the id of the key that asks' }],
  });
}

function groupings(given: readonly string[]): UsageGrouping[] {
  const words = given.flatMap((text) => text.split(',')).map((word) => word.trim().toLowerCase());
  const named = words.filter((word) => word !== '');
  return [...new Set(named)].map((word) => {
    const grouping = GROUPINGS.find((candidate) => candidate === word);
    if (grouping !== undefined) return grouping;
    throw wrong(
      'group_by',
      `group_by must be some of ${GROUPINGS.join(', ')}, with commas between them, not ${quoted(word)}`,
    );
  });
}

/** One that is only misspelt would leave nothing out, and the numbers would be wrong. */
function unknownParameter(name: string): AppError {
  const shown = name.slice(0, 64);
  return wrong(name, `unknown parameter ${quoted(shown)}${didYouMean(shown, [...PARAMETERS])}`);
}

const quoted = (text: string): string => JSON.stringify(text.slice(0, 100));

const wrong = (name: string, message: string): AppError =>
  new AppError('InputError', message, { details: [{ location: `query.${name.slice(0, 64)}`, message }] });
