import { Type, type TSchema } from 'typebox';
import { orNull, closed } from '#serve/http/schemas.ts';
import { MAX_TEXT_LENGTH } from '../../accounts/fields/field.ts';

// Members shared by several bodies.

/** Databases store amounts in 64 bits, so the maximum is 9.2 billion dollars. */
const MAX_DOLLARS = 9_000_000_000;

export const text = (description: string, maxLength = MAX_TEXT_LENGTH) =>
  Type.String({ maxLength, description });
export const nonEmptyText = (description: string, maxLength = MAX_TEXT_LENGTH) =>
  Type.String({ minLength: 1, maxLength, description });
export const dollars = (description?: string) =>
  Type.Number({ minimum: 0, maximum: MAX_DOLLARS, ...described(description) });
export const count = (description?: string) => Type.Integer({ minimum: 0, ...described(description) });
const MAX_DESCRIPTION_LENGTH = 10_000;
/** What users say about an experiment, a workflow or a job. */
export const longDescription = text('Description.', MAX_DESCRIPTION_LENGTH);
/** A time in a response. */
export const time = (description: string) => Type.String({ format: 'date-time', description });
export const timeOrNull = (description: string) => orNull(Type.String({ format: 'date-time' }), description);

/** A time in a request. */
export const moment = (description?: string) =>
  Type.Union(
    [
      Type.String({ title: 'a time such as 2030-01-31T12:00:00Z', maxLength: 64 }),
      Type.Number({ title: 'a Unix timestamp' }),
    ],
    described(description),
  );
export const momentOrNull = (description: string) =>
  Type.Union([...moment().anyOf, Type.Null()], { description });

function described(description: string | undefined): { readonly description?: string } {
  return description === undefined ? {} : { description };
}

/** A member that can be missing or null, both of which have the same meaning. */
export const maybe = <Schema extends TSchema>(schema: Schema) => Type.Optional(orNull(schema));

/** A page of a list, together with the total number of items. */
export const pageSchema = <Item extends TSchema>(name: string, item: Item) =>
  closed(name, { total: count('Total number of items.'), items: Type.Array(item) });
