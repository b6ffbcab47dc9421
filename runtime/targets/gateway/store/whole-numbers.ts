import type { KyselyPlugin } from 'kysely';

/**
 * Converts a row's integers to numbers, except amounts. Both databases return integers as bigint, to avoid
 * rounding. Times and counts are far below 2^53 and easier to use as numbers.
 */
export function wholeNumbers<Row>(row: Row): Row {
  const values = row as Record<string, unknown>;
  for (const column in values) {
    const value = values[column];
    if (typeof value === 'bigint' && !column.endsWith('_nano')) values[column] = Number(value);
  }
  return row;
}

/** Same for all rows read by the query builder. */
export const WHOLE_NUMBERS: KyselyPlugin = {
  transformQuery: ({ node }) => node,
  transformResult({ result }) {
    for (const row of result.rows) wholeNumbers(row);
    return Promise.resolve(result);
  },
};
