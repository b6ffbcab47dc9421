import { parseJsonText } from '#core/json/json-text.ts';
import type { UsageSumRow } from '../../../store/record-schema.ts';

/** What is counted, in the order in which it is stored. */
export const COUNTS = [
  'requests',
  'errors',
  'prompt_tokens',
  'completion_tokens',
  'cached_tokens',
  'cache_write_tokens',
  'total_tokens',
  'cost_nano',
  'cache_saved_nano',
] as const satisfies readonly (keyof UsageSumRow)[];

/** Sums of usage rows. */
export type Counts = { -readonly [Name in (typeof COUNTS)[number]]: UsageSumRow[Name] };

/**
 * The parts of a day's sums: for each quarter of an hour with usage, counted from the start of the day in UTC,
 * its own sums. They can be added up to the days of any time zone.
 */
export type Quarters = Map<number, Counts>;

export const NOTHING: Readonly<Counts> = {
  requests: 0,
  errors: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  cached_tokens: 0,
  cache_write_tokens: 0,
  total_tokens: 0,
  cost_nano: 0n,
  cache_saved_nano: 0n,
};

export function addCounts(sums: Counts, more: Counts): void {
  sums.requests += more.requests;
  sums.errors += more.errors;
  sums.prompt_tokens += more.prompt_tokens;
  sums.completion_tokens += more.completion_tokens;
  sums.cached_tokens += more.cached_tokens;
  sums.cache_write_tokens += more.cache_write_tokens;
  sums.total_tokens += more.total_tokens;
  sums.cost_nano += more.cost_nano;
  sums.cache_saved_nano += more.cache_saved_nano;
}

/** The counts of a key, which are created if missing. */
export function countsIn<Key>(sums: Map<Key, Counts>, key: Key): Counts {
  let counts = sums.get(key);
  if (!counts) sums.set(key, (counts = { ...NOTHING }));
  return counts;
}

/** As a JSON list: for each quarter in order, its number, followed by its counts. */
export const quartersToText = (quarters: Quarters): string =>
  JSON.stringify(
    [...quarters]
      .toSorted(([one], [other]) => one - other)
      .flatMap(([quarter, counts]) => [quarter, ...COUNTS.map((name) => storable(counts[name]))]),
  );

/** JSON numbers are exact up to 2^53 nano-dollars, which is 9 million dollars. */
const storable = (value: number | bigint): number | string =>
  typeof value === 'number' || Number.isSafeInteger(Number(value)) ? Number(value) : String(value);

const LENGTH = COUNTS.length + 1;

/** Reads the output of `quartersToText`. */
export function forEachQuarter(text: string, receive: (quarter: number, counts: Counts) => void): void {
  const list = parseJsonText(text) as readonly (number | string)[];
  const count = (at: number): number => Number(list[at] ?? 0);
  for (let at = 0; at < list.length; at += LENGTH)
    receive(count(at), {
      requests: count(at + 1),
      errors: count(at + 2),
      prompt_tokens: count(at + 3),
      completion_tokens: count(at + 4),
      cached_tokens: count(at + 5),
      cache_write_tokens: count(at + 6),
      total_tokens: count(at + 7),
      cost_nano: BigInt(list[at + 8] ?? 0),
      cache_saved_nano: BigInt(list[at + 9] ?? 0),
    });
}

export function addQuartersText(into: Quarters, text: string): void {
  forEachQuarter(text, (quarter, counts) => addCounts(countsIn(into, quarter), counts));
}
