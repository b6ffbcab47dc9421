import { type TSchema, Type } from 'typebox';
import type { Content, Operation } from '../../../../serve/http/openapi/operation.ts';
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
export const BODY_ERRORS: readonly ErrorStatus[] = [400, 408, 413, 415, 422];

export const answerOf = (
  description: string,
  schema: Content['schema'],
  example: unknown,
): Operation['answer'] => ({ description, schema, examples: { answer: example } });

export const wholeNumber = (minimum: number, maximum: number, fallback: number): TSchema =>
  Type.Integer({ minimum, maximum, default: fallback });
