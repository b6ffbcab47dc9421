import type { KyselyPlugin } from 'kysely';

/**
 * Both databases are told to give whole numbers as bigint, so that none is rounded. Only money stays that; times and counts
 * are far below 2^53 and are easier to use as numbers.
 */
export function wholeNumbers<Row>(row: Row): Row {
  const values = row as Record<string, unknown>;
  for (const [column, value] of Object.entries(values)) {
    if (typeof value === 'bigint' && !column.endsWith('_nano')) values[column] = Number(value);
  }
  return row;
}

/** Does so for all that is read through the query builder. */
export const WHOLE_NUMBERS: KyselyPlugin = {
  transformQuery: ({ node }) => node,
  transformResult({ result }) {
    result.rows.forEach(wholeNumbers);
    return Promise.resolve(result);
  },
};
