import type { Operation } from '#serve/http/openapi/operation.ts';
import type { ErrorStatus } from '#serve/http/openapi/statuses.ts';

type Parameter = NonNullable<Operation['parameters']>[number];

export const serverName: Parameter = {
  name: 'name',
  description: 'Name of the server (case-insensitive).',
  example: 'time',
};

export const cursor: Parameter = {
  name: 'cursor',
  in: 'query',
  description:
    '`nextCursor` of a list with more than 20,000 items, or of the server itself. Default: the first page. All following pages are included.',
  example: 'Mg',
};

/** Error statuses of every route that sends requests to a server. */
export const UPSTREAM_ERRORS: readonly ErrorStatus[] = [403, 404, 429, 502, 503, 504];
