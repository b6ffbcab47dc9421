import { STATUS_FILTERS } from '../../accounts/ledger/ledger.ts';
import type { Context } from 'hono';
import { AppError } from '#contract/errors.ts';
import { wholeNumberOf, wordOf } from '#serve/http/query.ts';
import type { RequestFilter, RequestPlace } from '../../accounts/ledger/request-list.ts';
import { momentOf } from '../http/values.ts';
import { refuseUnknownParameters } from '../http/lists.ts';

const PARAMETERS = ['user_id', 'api_key_id', 'team_id', 'model', 'status', 'from', 'to', 'cursor', 'limit'];
export const REQUEST_LIMIT = { min: 1, max: 500, fallback: 50 };

interface RequestQuery {
  readonly filter: RequestFilter;
  readonly after: RequestPlace | undefined;
  readonly limit: number;
}

/** Reads a query of past requests. Whose requests they are is checked apart. */
export function requestQuery(c: Context): RequestQuery {
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

export const cursorOf = ({ timestamp, id }: RequestPlace): string => `${timestamp}_${id}`;

function placeOf(cursor: string | undefined): RequestPlace | undefined {
  if (cursor === undefined || cursor === '') return undefined;
  const [, timestamp, id] = /^(\d{1,15})_([\w.-]{1,100})$/.exec(cursor) ?? [];
  if (timestamp !== undefined && id !== undefined) return { timestamp: Number(timestamp), id };
  const message = `cursor must be the \`next\` of an answer, not ${JSON.stringify(cursor.slice(0, 80))}`;
  throw new AppError('InputError', message, { details: [{ location: 'query.cursor', message }] });
}
