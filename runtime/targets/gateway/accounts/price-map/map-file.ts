import { type TSchema, Type } from 'typebox';
import { EXTRA_RATES, type ListedModels, RATES } from './listed-model.ts';

/** Marks a file with prices in the format below. A later format gets another number. */
export const MAP_FORMAT = 'encoderfile-prices-1';

/** Dollars per million tokens, or per unit. Nothing costs more; a larger amount means that units were mixed up. */
const amount = Type.Number({ minimum: 0, maximum: 1_000_000 });
const optional = (names: readonly string[]): Record<string, TSchema> =>
  Object.fromEntries(names.map((name) => [name, Type.Optional(amount)]));
const closed = { additionalProperties: false };

export interface PriceMapFile {
  readonly format: typeof MAP_FORMAT;
  /** Day of the prices, e.g. 2026-01-31. */
  readonly date: string;
  /** Source of the prices. */
  readonly source: string;
  readonly models: ListedModels;
}

const rates = optional(RATES);
const model = Type.Object(
  {
    ...rates,
    ...optional(EXTRA_RATES),
    tiers: Type.Optional(
      Type.Array(Type.Object({ above: Type.Integer({ minimum: 1 }), ...rates }, closed), { maxItems: 16 }),
    ),
    batch: Type.Optional(Type.Object(rates, closed)),
  },
  closed,
);

export const MAP_SCHEMA = Type.Object(
  {
    format: Type.Literal(MAP_FORMAT),
    date: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' }),
    source: Type.String({ minLength: 1, maxLength: 500 }),
    models: Type.Record(
      Type.String({ minLength: 1 }),
      Type.Record(Type.String({ minLength: 1 }), Type.Union([Type.String({ minLength: 1 }), model])),
      { minProperties: 1 },
    ),
  },
  { $id: 'urn:encoderfile:gateway-prices', ...closed },
);
