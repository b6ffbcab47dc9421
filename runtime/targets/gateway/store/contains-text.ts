import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { isStorable } from './storable-text.ts';

/** SQL condition that a column contains a text, case-sensitively. */
export const contains = (column: string, text: string): RawBuilder<SqlBool> => like(sql.ref(column), text);

/** SQL condition that one of several columns contains a text, ignoring case; true without a text. */
export function containsInAnyCase(columns: readonly string[], text: string | undefined): RawBuilder<SqlBool> {
  if (text === undefined) return sql`1 = 1`;
  const values = columns.map((column) => sql`coalesce(${sql.ref(column)}, '')`);
  // The columns are concatenated, so that the database converts each row once. Since the texts have a single
  // line, they do not match across two columns.
  return like(
    sql`lower(${sql.join(values, sql` || ${'\n'} || `)})`,
    text,
    (pattern) => sql`lower(${pattern})`,
  );
}

/** SQL condition that a column starts with a text, case-sensitively; true without a text. */
export const startsWith = (column: string, text: string | undefined): RawBuilder<SqlBool> =>
  text === undefined ? sql`1 = 1` : sql`substr(${sql.ref(column)}, 1, ${sql.lit(text.length)}) = ${text}`;

function like(
  value: RawBuilder<unknown>,
  text: string,
  convert = (pattern: RawBuilder<unknown>): RawBuilder<unknown> => pattern,
): RawBuilder<SqlBool> {
  // A value that cannot be stored matches no row.
  if (!isStorable(text)) return sql`1 = 0`;
  return sql`${value} like ${convert(sql`${`%${text.replaceAll(/[_%!]/g, '!$&')}%`}`)} escape '!'`;
}
