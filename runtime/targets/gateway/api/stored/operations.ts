import { type TSchema, Type } from 'typebox';
import type { Operation } from '#serve/http/openapi/operation.ts';
import type { ErrorStatus } from '#serve/http/openapi/statuses.ts';

/** An object as the provider describes it. */
export const storedObject = (description: string): TSchema =>
  Type.Object({ id: Type.String() }, { additionalProperties: true, description });

export const objectList = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(storedObject('An object.')),
  first_id: Type.Unsafe({ type: ['string', 'null'] }),
  last_id: Type.Unsafe({ type: ['string', 'null'] }),
  has_more: Type.Boolean(),
});

/** Errors of routes that ask a provider. */
export const STORED_ERRORS: readonly ErrorStatus[] = [400, 402, 403, 404, 409, 422, 429, 500, 502, 503, 504];

export const USER_PARAMETER = {
  name: 'user',
  in: 'query',
  description: 'With the master key: only objects of this user.',
  example: 'ann',
} as const;

export const LIST_PARAMETERS: NonNullable<Operation['parameters']> = [
  { name: 'after', in: 'query', description: 'Id of the object before the page.', example: 'file-1' },
  {
    name: 'limit',
    in: 'query',
    description: 'Maximum number of objects.',
    example: 20,
    schema: Type.Integer({ minimum: 1 }),
  },
  { name: 'order', in: 'query', description: '`desc` (newest first) or `asc`.', example: 'desc' },
  USER_PARAMETER,
];
