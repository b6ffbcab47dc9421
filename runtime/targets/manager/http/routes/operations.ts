import type { Operation } from '../../../../serve/http/openapi/operation.ts';
import type { ErrorStatus } from '../../../../serve/http/openapi/statuses.ts';

type Parameter = NonNullable<Operation['parameters']>[number];

export const serverName: Parameter = {
  name: 'name',
  description: 'The name of the server, in any case.',
  example: 'time',
};

export const cursor: Parameter = {
  name: 'cursor',
  in: 'query',
  description: '`nextCursor` of the page before; without it the first page.',
  example: 'Mg',
};

/** Of every route that asks a server. */
export const UPSTREAM_ERRORS: readonly ErrorStatus[] = [403, 404, 429, 502, 503, 504];
