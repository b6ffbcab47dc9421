import type { Operation } from '#serve/http/openapi/operation.ts';
import type { ErrorStatus } from '#serve/http/openapi/statuses.ts';
import type { Context } from 'hono';
import { wholeNumber } from '#serve/http/openapi/describe.ts';
import { wholeNumberOf } from '#serve/http/query.ts';

type Parameter = NonNullable<Operation['parameters']>[number];

export const SERVER_NAME: Parameter = {
  name: 'name',
  description: 'Name of the server (case-insensitive).',
  example: 'time',
};

export const CURSOR_PARAMETER: Parameter = {
  name: 'cursor',
  in: 'query',
  description:
    '`nextCursor` from a list with more than 20,000 items, or from the server itself. Default: the first page. The response includes all pages that follow.',
  example: 'Mg',
};

/** Error statuses shared by all routes that send requests to a server. */
export const UPSTREAM_ERRORS: readonly ErrorStatus[] = [403, 404, 429, 502, 503, 504];

const LIMIT = { min: 1, max: 500, fallback: 50 };
const CURSOR = { min: 0, max: Number.MAX_SAFE_INTEGER, fallback: 0 };

/** The requested section of a list. */
interface RequestedPage {
  readonly limit: number;
  /** Position of the first item; 0 without a cursor. */
  readonly start: number;
}

export const pageOfItems = (c: Context): RequestedPage => ({
  limit: wholeNumberOf(c, 'limit', LIMIT),
  start: wholeNumberOf(c, 'cursor', CURSOR),
});

/** Returns the items of a page, with the total count and the next page's cursor. */
export function slicePage<Item>(
  items: readonly Item[],
  { limit, start }: RequestedPage,
): { readonly items: readonly Item[]; readonly total: number; readonly nextCursor: string | undefined } {
  const end = start + limit;
  return {
    items: items.slice(start, end),
    total: items.length,
    nextCursor: end < items.length ? String(end) : undefined,
  };
}

export const ITEM_PAGE_PARAMETERS: NonNullable<Operation['parameters']> = [
  {
    name: 'limit',
    in: 'query',
    description: 'Maximum number of items.',
    example: LIMIT.fallback,
    schema: wholeNumber(LIMIT.min, LIMIT.max, LIMIT.fallback),
  },
  {
    name: 'cursor',
    in: 'query',
    description: '`nextCursor` of the previous page. Default: the first page.',
    example: '50',
  },
];

export const searchParameter = (description: string) =>
  ({ name: 'q', in: 'query', description, example: 'time' }) as const;
