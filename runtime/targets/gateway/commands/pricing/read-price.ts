import { type Nanos, nanosOf } from '../../../../core/money.ts';
import { didYouMean } from '../../../../core/suggest.ts';
import { parseTimestamp } from '../../../../core/timestamp.ts';
import type { NewPrice } from '../../ledger/api.ts';
import { tryModelKey } from '../../ledger/model-key.ts';
import { AMOUNT_RULE } from '../options/amount.ts';
import type { PriceRecord } from './price-records.ts';

/** The same as in the HTTP API. */
const MEMBERS = [
  'model_key',
  'input_price_per_million',
  'output_price_per_million',
  'cached_input_price_per_million',
  'effective_at',
] as const;
type Member = (typeof MEMBERS)[number];

/** A record as a price; what is wrong with it goes to `report`, and the price is of no use then. */
export function readPrice({ where, members }: PriceRecord, report: (problem: string) => void): NewPrice {
  const say = (sentence: string): void => report(`${where}: ${sentence}`);
  for (const name of Object.keys(members)) {
    if (!(MEMBERS as readonly string[]).includes(name)) say(unknownMember(name));
  }
  const reader = { members, say };
  return {
    modelKey: modelKey(reader),
    input: amount(reader, 'input_price_per_million') ?? missing(reader, 'input_price_per_million'),
    output: amount(reader, 'output_price_per_million') ?? missing(reader, 'output_price_per_million'),
    cachedInput: amount(reader, 'cached_input_price_per_million') ?? null,
    effectiveAt: effectiveAt(reader),
  };
}

function unknownMember(name: string): string {
  const meant = didYouMean(name, MEMBERS);
  return `unknown member ${JSON.stringify(name)}${meant || '.'} There are ${MEMBERS.join(', ')}.`;
}

interface Reader {
  readonly members: Readonly<Partial<Record<Member, unknown>>>;
  readonly say: (sentence: string) => void;
}

function modelKey({ members: { model_key: key }, say }: Reader): string {
  const model = typeof key === 'string' ? tryModelKey(key) : undefined;
  if (model !== undefined) return model;
  const trouble = key === undefined ? 'is missing' : `is ${JSON.stringify(key)}, which names no model`;
  say(`model_key ${trouble}; write it as provider:model.`);
  return '';
}

function amount({ members, say }: Reader, name: Member): Nanos | undefined {
  const value = members[name];
  if (value === undefined || value === null) return undefined;
  const nanos = typeof value === 'number' || typeof value === 'string' ? nanosOf(value) : undefined;
  if (nanos === undefined) say(`${name} is ${JSON.stringify(value)}, which is not ${AMOUNT_RULE}.`);
  return nanos ?? 0n;
}

function missing({ say }: Reader, name: Member): Nanos {
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
