import type { Context } from 'hono';
import { wholeNumberOf } from '#serve/http/query.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { wholeNumber } from '#serve/http/openapi/describe.ts';
import type { Page } from '../../store/page.ts';

const SKIP = { min: 0, max: Number.MAX_SAFE_INTEGER, fallback: 0 };
const LIMIT = { min: 1, max: 1000, fallback: 100 };

/** Reads the requested page of a list. Throws an InputError. */
export const pageOf = (c: Context): Page => ({
  skip: wholeNumberOf(c, 'skip', SKIP),
  limit: wholeNumberOf(c, 'limit', LIMIT),
});

export const PAGE_PARAMETERS: NonNullable<Operation['parameters']> = [
  {
    name: 'skip',
    in: 'query',
    description: 'Number of items to skip.',
    example: SKIP.fallback,
    schema: wholeNumber(SKIP.min, SKIP.max, SKIP.fallback),
  },
  {
    name: 'limit',
    in: 'query',
    description: 'Maximum number of items.',
    example: LIMIT.fallback,
    schema: wholeNumber(LIMIT.min, LIMIT.max, LIMIT.fallback),
  },
];
