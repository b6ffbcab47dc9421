import { Type } from 'typebox';
import { anyObject, orNull } from '../../../../serve/http/schemas.ts';

// Members that several bodies have.

/** Amounts beyond do not fit into the 64 bits that databases have for them. */
const MOST_DOLLARS = 9_000_000_000;
const LONGEST_NAME = 256;

export const text = (description: string, maxLength = LONGEST_NAME) =>
  Type.String({ maxLength, description });
export const someText = (description: string, maxLength = LONGEST_NAME) =>
  Type.String({ minLength: 1, maxLength, description });
export const dollars = (description?: string) =>
  Type.Number({ minimum: 0, maximum: MOST_DOLLARS, ...described(description) });
export const count = (description?: string) => Type.Integer({ minimum: 0, ...described(description) });
const limit = (description: string) => orNull(Type.Integer({ minimum: 1 }), description);

/** In answers. */
export const time = (description: string) => Type.String({ format: 'date-time', description });
export const timeOrNull = (description: string) => orNull(Type.String({ format: 'date-time' }), description);

/** In requests. */
export const moment = (description?: string) =>
  Type.Union(
    [
      Type.String({ title: 'a time as 2030-01-31T12:00:00Z', maxLength: 64 }),
      Type.Number({ title: 'seconds since 1970' }),
    ],
    described(description),
  );
export const momentOrNull = (description: string) =>
  Type.Union([...moment().anyOf, Type.Null()], { description });

export const metadata = anyObject('What you want to remember about it; at most 16 KiB as JSON.');
export const CLEARED_METADATA = 'Null is an empty object.';

export const seconds = orNull(
  Type.Integer({ minimum: 1 }),
  'How long a window is, in seconds; with the next one nothing is spent. Null for one that never ends.',
);
export const maxBudget = orNull(
  dollars(),
  'What may be spent in each window, in US dollars. Null only counts what is spent.',
);

export const rates = {
  rpm: limit('Requests per minute; null for no limit.'),
  tpm: limit('Tokens per minute; null for no limit.'),
  max_parallel: limit('Requests at once; null for no limit.'),
};
export const rateChanges = {
  rpm: Type.Optional(rates.rpm),
  tpm: Type.Optional(rates.tpm),
  max_parallel: Type.Optional(rates.max_parallel),
};

function described(description: string | undefined): { readonly description?: string } {
  return description === undefined ? {} : { description };
}
