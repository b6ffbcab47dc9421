import type { Operation } from '../../../../serve/http/openapi/operation.ts';
import type { ErrorStatus } from '../../../../serve/http/openapi/statuses.ts';

type Parameter = NonNullable<Operation['parameters']>[number];

export const serverName: Parameter = {
  name: 'name',
  description: 'Name of the server (case-insensitive).',
  example: 'time',
};

export const cursor: Parameter = {
  name: 'cursor',
  in: 'query',
  description: '`nextCursor` of the previous page. Default: the first page.',
  example: 'Mg',
};

/** Error statuses of every route that sends requests to a server. */
export const UPSTREAM_ERRORS: readonly ErrorStatus[] = [403, 404, 429, 502, 503, 504];
