import { type Nanos, nanosOf } from '../../shared/money.ts';
import { isObject } from '../../../../core/json/is-object.ts';
import { parseJsonText } from '../../../../core/json/json-text.ts';
import type { PriceTier, TokenRates } from '../../shared/token-price.ts';
import { didYouMean } from '../../../../core/text/suggest.ts';
import { parseTimestamp } from '../../../../core/time/timestamp.ts';
import type { NewPrice } from '../../accounts/ledger/ledger.ts';
import { tryModelKey } from '../../accounts/ledger/model-key.ts';
import { RATE_FIELDS, type RateField, readRates, TIER_FIELD } from '../../accounts/ledger/price-fields.ts';
import { tierProblem } from '../../accounts/ledger/price-tiers.ts';
import { AMOUNT_RULE } from '../options/amount.ts';
import type { PriceRecord } from './price-records.ts';

/** The same as in the HTTP API. */
const MEMBERS: readonly string[] = ['model_key', ...Object.values(RATE_FIELDS), 'tiers', 'effective_at'];
const TIER_MEMBERS: readonly string[] = [TIER_FIELD, ...Object.values(RATE_FIELDS)];

/** A record as a price; what is wrong with it goes to `report`, and the price is of no use then. */
export function readPrice({ where, members }: PriceRecord, report: (problem: string) => void): NewPrice {
  const say = (sentence: string): void => report(`${where}: ${sentence}`);
  const reader = { members, say };
  refuseUnknown(reader, MEMBERS);
  const price = {
    modelKey: modelKey(reader),
    ...rates(reader),
    tiers: tiers(reader),
    effectiveAt: effectiveAt(reader),
  };
  const problem = tierProblem(price);
  if (problem !== undefined) say(problem);
  return price;
}

function refuseUnknown({ members, say }: Reader, known: readonly string[]): void {
  for (const name of Object.keys(members)) {
    if (known.includes(name)) continue;
    const meant = didYouMean(name, known);
    say(`unknown member ${JSON.stringify(name)}${meant || '.'} There are ${known.join(', ')}.`);
  }
}

interface Reader {
  readonly members: Readonly<Record<string, unknown>>;
  readonly say: (sentence: string) => void;
}

const rates = (reader: Reader): TokenRates =>
  readRates(
    (field) => amount(reader, field) ?? missing(reader, field),
    (field) => amount(reader, field) ?? null,
  );

/** A list; in a cell of CSV as JSON. */
function tiers({ members: { tiers: value }, say }: Reader): PriceTier[] {
  if (value === undefined || value === null) return [];
  const list = typeof value === 'string' ? parseList(value) : value;
  if (!Array.isArray(list) || !list.every(isObject)) {
    say(`tiers is ${JSON.stringify(value)}, which is not a list of objects with ${TIER_MEMBERS.join(', ')}.`);
    return [];
  }
  return list.map((members, index) => {
    const reader = { members, say: (sentence: string): void => say(`tiers[${index}]: ${sentence}`) };
    refuseUnknown(reader, TIER_MEMBERS);
    return { aboveTokens: aboveTokens(reader) ?? index + 1, ...rates(reader) };
  });
}

function aboveTokens({ members: { [TIER_FIELD]: above }, say }: Reader): number | undefined {
  if (Number.isSafeInteger(above) && (above as number) > 0) return above as number;
  const trouble = above === undefined ? 'missing' : JSON.stringify(above);
  say(`${TIER_FIELD} is ${trouble}; it must be a whole number of at least 1.`);
  return undefined;
}

function parseList(text: string): unknown {
  try {
    return parseJsonText(text);
  } catch {
    return undefined;
  }
}

function modelKey({ members: { model_key: key }, say }: Reader): string {
  const model = typeof key === 'string' ? tryModelKey(key) : undefined;
  if (model !== undefined) return model;
  const trouble = key === undefined ? 'is missing' : `is ${JSON.stringify(key)}, which names no model`;
  say(`model_key ${trouble}; write it as provider:model.`);
  return '';
}

function amount({ members, say }: Reader, name: RateField): Nanos | undefined {
  const value = members[name];
  if (value === undefined || value === null) return undefined;
  const nanos = typeof value === 'number' || typeof value === 'string' ? nanosOf(value) : undefined;
  if (nanos === undefined) say(`${name} is ${JSON.stringify(value)}, which is not ${AMOUNT_RULE}.`);
  return nanos ?? 0n;
}

function missing({ say }: Reader, name: RateField): Nanos {
  say(`${name} is missing: dollars for a million tokens.`);
  return 0n;
}

function effectiveAt({ members: { effective_at: time }, say }: Reader): number | undefined {
  if (time === undefined || time === null) return undefined;
  const moment = typeof time === 'string' ? parseTimestamp(time) : undefined;
  if (moment === undefined)
    say(`effective_at is ${JSON.stringify(time)}, which is no date, as "2027-01-31".`);
  return moment;
}
