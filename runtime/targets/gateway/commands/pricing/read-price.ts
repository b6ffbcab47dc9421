import { isObject } from '#core/json/is-object.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { isCount } from '#core/numbers/is-count.ts';
import { didYouMean } from '#core/text/suggest.ts';
import { parseTimestamp } from '#core/time/timestamp.ts';
import { isOneOf } from '#core/values/is-one-of.ts';
import { keysOf } from '#core/values/keys.ts';
import { UsageError } from '#serve/cli/command.ts';
import type { NewPrice } from '../../accounts/ledger/ledger.ts';
import { tryModelKey } from '../../accounts/ledger/model-key.ts';
import { RATE_FIELDS, type RateField, readRates, TIER_FIELD } from '../../accounts/ledger/price-fields.ts';
import { tierProblem } from '../../accounts/ledger/price-tiers.ts';
import { readUnits, UNIT_FIELDS, type UnitField } from '../../accounts/ledger/price-units.ts';
import { type Nanos, nanosOf } from '../../shared/money.ts';
import type { PriceTier, TokenRates, UnitRates } from '../../shared/price.ts';
import { AMOUNT_RULE, parseAmount } from '../options/limit-options.ts';
import type { PriceRecord } from './price-records.ts';

/** Names of the prices in a tier, which are also the option names of `pricing set`. */
const PRICE_NAMES = ['input', 'output', 'cached-input', 'cache-write', 'cache-write-1h'] as const;
type Name = (typeof PRICE_NAMES)[number];

/** Parses `200000:input=6,output=22.50`: prices for requests whose prompt has more than 200000 tokens. */
export function parseTier(text: string): PriceTier {
  const [, above, list] = /^\s*(\d{1,15})\s*:(.*)$/s.exec(text) ?? [];
  if (above === undefined || list === undefined)
    throw wrong(text, 'is not a tier, e.g. 200000:input=6,output=22.50');
  const amounts = new Map<Name, Nanos>();
  for (const part of list.split(',')) {
    const [name = '', value = ''] = part.split('=', 2).map((word) => word.trim());
    if (!isName(name))
      throw wrong(text, `has the unknown price ${JSON.stringify(name)}; use ${PRICE_NAMES.join(', ')}`);
    if (amounts.has(name)) throw wrong(text, `has ${name} twice; remove one of them`);
    const amount = parseAmount(value);
    if (amount === undefined) throw wrong(text, `has ${name}=${value}, which is not ${AMOUNT_RULE}`);
    amounts.set(name, amount);
  }
  const required = (name: Name): Nanos => {
    const amount = amounts.get(name);
    if (amount === undefined) throw wrong(text, `has no ${name}, e.g. ${above}:input=6,output=22.50`);
    return amount;
  };
  return {
    aboveTokens: Number(above),
    input: required('input'),
    output: required('output'),
    cachedInput: amounts.get('cached-input') ?? null,
    cacheWrite: amounts.get('cache-write') ?? null,
    cacheWrite1h: amounts.get('cache-write-1h') ?? null,
  };
}

const isName = (name: string): name is Name => isOneOf(PRICE_NAMES, name);

const wrong = (text: string, problem: string): UsageError =>
  new UsageError(`--tier: ${JSON.stringify(text)} ${problem}.`);

/** Unit names on the command line: the field names without the words that they all share. */
const UNIT_NAMES = new Map(
  keysOf(UNIT_FIELDS).map((name) => [
    UNIT_FIELDS[name].replace(/_price(_per_million)?$/, '').replaceAll('_', '-'),
    UNIT_FIELDS[name],
  ]),
);

/** Parses the values of `--unit`, e.g. `web-search=0.01`. */
export function parseUnits(texts: readonly string[]): UnitRates | undefined {
  const amounts = new Map<string, Nanos>();
  for (const text of texts) {
    const at = text.indexOf('=');
    const name = at === -1 ? text : text.slice(0, at);
    const field = UNIT_NAMES.get(name);
    if (field === undefined)
      throw new UsageError(
        `--unit: ${JSON.stringify(name)} is not one of ${[...UNIT_NAMES.keys()].join(', ')}${didYouMean(name, [...UNIT_NAMES.keys()]) || '.'}`,
      );
    const amount = at === -1 ? undefined : parseAmount(text.slice(at + 1));
    if (amount === undefined)
      throw new UsageError(
        `--unit: the price of ${name} is not ${AMOUNT_RULE}. Use, for example, ${name}=0.01.`,
      );
    amounts.set(field, amount);
  }
  return readUnits((field) => amounts.get(field));
}

/** Fields of a price, with the same names as in the HTTP API. */
const MEMBERS: readonly string[] = [
  'model_key',
  ...Object.values(RATE_FIELDS),
  ...Object.values(UNIT_FIELDS),
  'tiers',
  'effective_at',
];
const TIER_MEMBERS: readonly string[] = [TIER_FIELD, ...Object.values(RATE_FIELDS)];

/** Validates a record. Problems go to `report`; the returned price is only usable if there are none. */
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

/** Parses the list of tiers, which a CSV cell contains as JSON. */
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
