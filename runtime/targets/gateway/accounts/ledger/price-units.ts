import { parseJsonText } from '#core/json/json-text.ts';
import { entriesOf, keysOf } from '#core/values/keys.ts';
import type { Nanos } from '../../shared/money.ts';
import type { UnitRates } from '../../shared/price.ts';

/** Unit price names in the HTTP API, in files and in `gateway.yml`. */
export const UNIT_FIELDS = {
  webSearch: 'web_search_price',
  searchedRequest: 'searched_request_price',
  image: 'image_price',
  query: 'query_price',
  imageInput: 'image_input_price_per_million',
  imageOutput: 'image_output_price_per_million',
} as const satisfies Record<keyof UnitRates, string>;

export type UnitField = (typeof UNIT_FIELDS)[keyof typeof UNIT_FIELDS];

/** Builds unit prices with a function that returns a field's value; undefined if none is set. */
export function readUnits(amount: (field: UnitField) => Nanos | null | undefined): UnitRates | undefined {
  const rates: Partial<Record<keyof UnitRates, Nanos>> = {};
  for (const [name, field] of entriesOf(UNIT_FIELDS)) {
    const price = amount(field);
    if (price !== null && price !== undefined) rates[name] = price;
  }
  return keysOf(rates).length === 0 ? undefined : rates;
}

/**
 * Unit prices as text for the database; null if there are none. Amounts are strings, because JSON numbers
 * would be rounded.
 */
export const unitRatesToText = (rates: UnitRates | undefined): string | null => {
  const set = Object.entries(rates ?? {}).filter(([, amount]) => amount !== undefined);
  return set.length === 0
    ? null
    : JSON.stringify(Object.fromEntries(set.map(([name, amount]) => [name, String(amount)])));
};

export function unitRatesFromText(text: string | null): UnitRates | undefined {
  if (text === null) return undefined;
  const stored = parseJsonText(text) as Readonly<Record<string, string>>;
  return Object.fromEntries(Object.entries(stored).map(([name, amount]) => [name, BigInt(amount)]));
}
