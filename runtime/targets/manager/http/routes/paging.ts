import type { Context } from 'hono';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { wholeNumber } from '#serve/http/openapi/describe.ts';
import { wholeNumberOf } from '#serve/http/query.ts';

const LIMIT = { min: 1, max: 500, fallback: 50 };
const CURSOR = { min: 0, max: Number.MAX_SAFE_INTEGER, fallback: 0 };

/** One part of a list, as a request asks for it. */
export interface RequestedPage {
  readonly limit: number;
  /** Position of the first item; 0 without a cursor. */
  readonly start: number;
}

export const pageOf = (c: Context): RequestedPage => ({
  limit: wholeNumberOf(c, 'limit', LIMIT),
  start: wholeNumberOf(c, 'cursor', CURSOR),
});

/** Returns the items of a page, with the total number and the cursor of the next page. */
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

export const PAGE_PARAMETERS: NonNullable<Operation['parameters']> = [
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
