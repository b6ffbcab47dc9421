import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { contains } from './contains-text.ts';
import { storableText } from './storable-text.ts';

/** Selects objects by words and tags. All specified conditions must match. */
export interface Search {
  /** Substring of the name or description, case-insensitive. */
  readonly text?: string | undefined;
  /** Tags that the object must have. */
  readonly tags?: readonly string[] | undefined;
}

/** The text that searches compare with. Lower case is computed here, so that both databases compare in the same way. */
export const searchTextOf = (...texts: readonly string[]): string =>
  storableText(texts.join('\n')).toLowerCase();

/** SQL condition for a search in a table with the columns `search_text` and `tags`. */
export function matches({ text, tags = [] }: Search): RawBuilder<SqlBool> {
  const parts = [
    ...(text === undefined ? [] : [contains('search_text', text.toLowerCase())]),
    // Tags contain no quotation marks, so one tag's text is never part of another's.
    ...tags.map((tag) => contains('tags', JSON.stringify(tag))),
  ];
  return sql`(${sql.join([sql`1 = 1`, ...parts], sql` and `)})`;
}
