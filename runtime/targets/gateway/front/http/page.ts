import type { Context } from 'hono';
import { wholeNumberOf } from '../../../../serve/http/query.ts';
import type { Operation } from '../../../../serve/http/openapi/operation.ts';
import { wholeNumber } from '../../../../serve/http/openapi/describe.ts';
import type { Page } from '../../store/page.ts';

const SKIP = { least: 0, most: Number.MAX_SAFE_INTEGER, fallback: 0 };
const LIMIT = { least: 1, most: 1000, fallback: 100 };

/** Which part of a list is wanted. Throws an InputError. */
export const pageOf = (c: Context): Page => ({
  skip: wholeNumberOf(c, 'skip', SKIP),
  limit: wholeNumberOf(c, 'limit', LIMIT),
});

export const PAGE_PARAMETERS: NonNullable<Operation['parameters']> = [
  {
    name: 'skip',
    in: 'query',
    description: 'How many to leave out at the beginning.',
    example: SKIP.fallback,
    schema: wholeNumber(SKIP.least, SKIP.most, SKIP.fallback),
  },
  {
    name: 'limit',
    in: 'query',
    description: 'How many at most.',
    example: LIMIT.fallback,
    schema: wholeNumber(LIMIT.least, LIMIT.most, LIMIT.fallback),
  },
];
