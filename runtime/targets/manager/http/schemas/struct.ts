import { type TObject, type TProperties, type TSchema, Type } from 'typebox';
import { anyObject, closed } from '../../../../serve/http/schemas.ts';

/** Which schema a body has. */
const schemaLink = Type.Optional(
  Type.String({ format: 'uri', readOnly: true, description: 'The JSON Schema of this object.' }),
);

/** A body: a closed object that names its schema in `$schema`. */
export const struct = <Properties extends TProperties>(
  name: string,
  properties: Properties,
  description?: string,
): TObject<{ $schema: typeof schemaLink } & Properties> =>
  closed(name, { $schema: schemaLink, ...properties }, description);

/** The contract lets lists be null, which ours never are. */
export const listOrNull = (items: TSchema, description?: string): TSchema =>
  Type.Unsafe({ type: ['array', 'null'], items, ...(description === undefined ? {} : { description }) });

export const optionalText = (description: string) => Type.Optional(Type.String({ description }));
export const dateTime = (description: string) =>
  Type.Optional(Type.String({ format: 'date-time', description }));
export const metaObject = Type.Optional(anyObject('What else the server says, as it says it.'));
export const nextCursor = optionalText('The cursor of the next page; not there on the last one.');
