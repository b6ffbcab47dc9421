import { itemAt } from '#core/values/item-at.ts';

/** Text lengths of a mixed load, in tokens. */
const LENGTHS = [3, 16, 40, 9, 128, 24, 64, 12];

/** Texts as lists of IDs from a fixed sequence; the first IDs can be special tokens. */
export const TEXTS: readonly (readonly number[])[] = Array.from({ length: 64 }, (_, text) =>
  Array.from(
    { length: itemAt(LENGTHS, text % LENGTHS.length) },
    (_, position) => 5 + ((text * 7919 + position * 104_729) % 30_000),
  ),
);

/** The text for a list of IDs, with a tokenizer that has one word per ID. */
export const textOf = (ids: readonly number[]): string => ids.map((id) => `t${id}`).join(' ');
