import { Type, type TSchema } from 'typebox';
import { anyObject, orNull, closed } from '#serve/http/schemas.ts';

// Members that several bodies share.

/** Databases store amounts in 64 bits, which end at 9.2 billion dollars. */
const MAX_DOLLARS = 9_000_000_000;
const MAX_NAME_LENGTH = 256;

export const text = (description: string, maxLength = MAX_NAME_LENGTH) =>
  Type.String({ maxLength, description });
export const nonEmptyText = (description: string, maxLength = MAX_NAME_LENGTH) =>
  Type.String({ minLength: 1, maxLength, description });
export const dollars = (description?: string) =>
  Type.Number({ minimum: 0, maximum: MAX_DOLLARS, ...described(description) });
export const count = (description?: string) => Type.Integer({ minimum: 0, ...described(description) });
const limit = (description: string) => orNull(Type.Integer({ minimum: 1 }), description);

/** A time in an answer. */
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

export const metadata = anyObject('Your own metadata, at most 16 KiB as JSON.');
export const CLEARED_METADATA = 'Null means an empty object.';

export const seconds = orNull(
  Type.Integer({ minimum: 1 }),
  'Length of a budget window in seconds, after which spending is reset. Null: never.',
);
export const maxBudget = orNull(
  dollars(),
  'Maximum spending per window, in US dollars. Null tracks spending without a limit.',
);

export const alertThresholds = orNull(
  Type.Array(Type.Integer({ minimum: 1, maximum: 100 }), { maxItems: 10 }),
  'Percentages of the budget at which alerts are sent; an empty list for none. Null: those of the configuration.',
);

export const rates = {
  rpm: limit('Requests per minute; null for no limit.'),
  tpm: limit('Tokens per minute; null for no limit.'),
  max_parallel: limit('Concurrent requests; null for no limit.'),
};
export const rateChanges = {
  rpm: Type.Optional(rates.rpm),
  tpm: Type.Optional(rates.tpm),
  max_parallel: Type.Optional(rates.max_parallel),
};

function described(description: string | undefined): { readonly description?: string } {
  return description === undefined ? {} : { description };
}

/** A member that can be missing or null, which means the same. */
export const maybe = <Schema extends TSchema>(schema: Schema) => Type.Optional(orNull(schema));

/** A page of a list, with the total number of items. */
export const pageSchema = <Item extends TSchema>(name: string, item: Item) =>
  closed(name, { total: count('Total number of items.'), items: Type.Array(item) });
