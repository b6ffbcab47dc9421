import type { Context } from 'hono';
import { Type } from 'typebox';
import type { Operation } from '#serve/http/openapi/operation.ts';
import type { Search } from '../../store/search.ts';

/** Tags of a dataset, an experiment or a workflow. */
export const tags = Type.Array(
  Type.String({
    minLength: 1,
    maxLength: 100,
    pattern: '^[^"]+$',
    description: 'A text without quotation marks.',
  }),
  { maxItems: 50, uniqueItems: true, description: 'Tags, for searches.' },
);

/** Reads the search of a list. */
export const searchOf = (c: Context): Search => ({
  text: c.req.query('search') || undefined,
  tags: c.req.queries('tag')?.filter((tag) => tag !== ''),
});

export const SEARCH_PARAMETERS: NonNullable<Operation['parameters']> = [
  {
    name: 'search',
    in: 'query',
    description: 'Only those whose name or description contains this text, in any case.',
    example: 'reviews',
  },
  {
    name: 'tag',
    in: 'query',
    isList: true,
    description: 'Only those with this tag. If it is repeated, those with all of the tags.',
    example: 'release',
  },
];
