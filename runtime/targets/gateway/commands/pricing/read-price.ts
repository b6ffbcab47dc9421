import { type Nanos, nanosOf } from '../../shared/money.ts';
import { isObject } from '#core/json/is-object.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import type { PriceTier, TokenRates } from '../../shared/token-price.ts';
import { didYouMean } from '#core/text/suggest.ts';
import { parseTimestamp } from '#core/time/timestamp.ts';
import type { NewPrice } from '../../accounts/ledger/ledger.ts';
import { tryModelKey } from '../../accounts/ledger/model-key.ts';
import { RATE_FIELDS, type RateField, readRates, TIER_FIELD } from '../../accounts/ledger/price-fields.ts';
import { readUnits, UNIT_FIELDS, type UnitField } from '../../accounts/ledger/price-units.ts';
import { tierProblem } from '../../accounts/ledger/price-tiers.ts';
import { AMOUNT_RULE } from '../options/amount.ts';
import type { PriceRecord } from './price-records.ts';
import { isCount } from '#core/numbers/is-count.ts';

/** Members of a price, the same as in the HTTP API. */
const MEMBERS: readonly string[] = [
  'model_key',
  ...Object.values(RATE_FIELDS),
  ...Object.values(UNIT_FIELDS),
  'tiers',
  'effective_at',
];
const TIER_MEMBERS: readonly string[] = [TIER_FIELD, ...Object.values(RATE_FIELDS)];

/** Validates a record. Problems go to `report`; the returned price is usable only if there are none. */
export function readPrice({ where, members }: PriceRecord, report: (problem: string) => void): NewPrice {
  const fail = (problem: string): void => report(`${where}: ${problem}`);
  const reader = { members, fail };
  refuseUnknown(reader, MEMBERS);
  const price = {
    modelKey: modelKey(reader),
    ...rates(reader),
    units: readUnits((field) => amount(reader, field)),
    tiers: tiers(reader),
    effectiveAt: effectiveAt(reader),
  };
  const problem = tierProblem(price);
  if (problem !== undefined) fail(problem);
  return price;
}

function refuseUnknown({ members, fail }: Reader, known: readonly string[]): void {
  for (const name of Object.keys(members)) {
    if (known.includes(name)) continue;
    const hint = didYouMean(name, known);
    fail(`unknown member ${JSON.stringify(name)}${hint || '.'} Known members are ${known.join(', ')}.`);
  }
}

interface Reader {
  readonly members: Readonly<Record<string, unknown>>;
  readonly fail: (problem: string) => void;
}

const rates = (reader: Reader): TokenRates =>
  readRates(
    (field) => amount(reader, field) ?? missing(reader, field),
    (field) => amount(reader, field) ?? null,
  );

/** Reads the list of tiers, which a CSV cell contains as JSON. */
function tiers({ members: { tiers: value }, fail }: Reader): PriceTier[] {
  if (value === undefined || value === null) return [];
  const list = typeof value === 'string' ? parseList(value) : value;
  if (!Array.isArray(list) || !list.every(isObject)) {
    fail(
      `tiers is ${JSON.stringify(value)}, which is not a list of objects with ${TIER_MEMBERS.join(', ')}.`,
    );
    return [];
  }
  return list.map((members, index) => {
    const reader = { members, fail: (problem: string): void => fail(`tiers[${index}]: ${problem}`) };
    refuseUnknown(reader, TIER_MEMBERS);
    return { aboveTokens: aboveTokens(reader) ?? index + 1, ...rates(reader) };
  });
}

function aboveTokens({ members: { [TIER_FIELD]: above }, fail }: Reader): number | undefined {
  if (isCount(above) && above > 0) return above;
  const found = above === undefined ? 'missing' : JSON.stringify(above);
  fail(`${TIER_FIELD} is ${found}; it must be a whole number of at least 1.`);
  return undefined;
}

function parseList(text: string): unknown {
  try {
    return parseJsonText(text);
  } catch {
    return undefined;
  }
}

function modelKey({ members: { model_key: key }, fail }: Reader): string {
  const model = typeof key === 'string' ? tryModelKey(key) : undefined;
  if (model !== undefined) return model;
  const found = key === undefined ? 'is missing' : `is ${JSON.stringify(key)}, which is not a model`;
  fail(`model_key ${found}; write it as provider:model.`);
  return '';
}

function amount({ members, fail }: Reader, name: RateField | UnitField): Nanos | undefined {
  const value = members[name];
  if (value === undefined || value === null) return undefined;
  const nanos = typeof value === 'number' || typeof value === 'string' ? nanosOf(value) : undefined;
  if (nanos === undefined) fail(`${name} is ${JSON.stringify(value)}, which is not ${AMOUNT_RULE}.`);
  return nanos ?? 0n;
}

function missing({ fail }: Reader, name: RateField): Nanos {
  fail(`${name} is missing; set it in dollars per million tokens.`);
  return 0n;
}

function effectiveAt({ members: { effective_at: time }, fail }: Reader): number | undefined {
  if (time === undefined || time === null) return undefined;
  const date = typeof time === 'string' ? parseTimestamp(time) : undefined;
  if (date === undefined)
    fail(`effective_at is ${JSON.stringify(time)}, which is not a date, e.g. "2027-01-31".`);
  return date;
}
