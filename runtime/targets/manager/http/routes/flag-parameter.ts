import type { Context } from 'hono';
import { Type } from 'typebox';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { wordOf } from '#serve/http/query.ts';

type Parameter = NonNullable<Operation['parameters']>[number];

/** Describes a boolean query parameter; false by default. */
export const flagParameter = (name: string, description: string): Parameter => ({
  name,
  in: 'query',
  description,
  example: true,
  schema: Type.Boolean({ default: false }),
});

export const flagOf = (c: Context, name: string): boolean =>
  wordOf(c, name, ['false', 'true'], 'false') === 'true';

/** For operations that can preview a change without applying it. */
export const DRY_RUN = flagParameter('dry_run', 'Whether to return the change without writing it.');
