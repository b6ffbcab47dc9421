import { type TObject, type TProperties, type TSchema, Type } from 'typebox';
import { anyObject, closed } from '#serve/http/schemas.ts';

/** The field with the URL of the body's schema. */
const schemaLink = Type.Optional(
  Type.String({ format: 'uri', readOnly: true, description: 'The JSON Schema of this object.' }),
);

/** Creates a body schema: a closed object with the URL of its schema in `$schema`. */
export const struct = <Properties extends TProperties>(
  name: string,
  properties: Properties,
  description?: string,
): TObject<{ $schema: typeof schemaLink } & Properties> =>
  closed(name, { $schema: schemaLink, ...properties }, description);

/** Creates a list schema. The API contract allows null, which the manager never returns. */
export const listOrNull = (items: TSchema, description?: string): TSchema =>
  Type.Unsafe({ type: ['array', 'null'], items, ...(description === undefined ? {} : { description }) });

export const optionalTextMember = (description: string) => Type.Optional(Type.String({ description }));
export const dateTimeMember = (description: string) =>
  Type.Optional(Type.String({ format: 'date-time', description }));
export const metaObject = Type.Optional(anyObject('Additional metadata from the server, unchanged.'));
export const nextCursor = optionalTextMember('Cursor for the next page; omitted on the last page.');
