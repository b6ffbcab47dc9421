import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { contains } from './contains-text.ts';
import { storableText } from './storable-text.ts';

/** Selects objects by words and tags. All conditions that are set must match. */
export interface Search {
  /** A part of the name or the description, in any case. */
  readonly text?: string | undefined;
  /** Tags that the object must have. */
  readonly tags?: readonly string[] | undefined;
}

/** The text that a search compares with. Both databases compare it in the same way, because lower case is computed here. */
export const searchTextOf = (...texts: readonly string[]): string =>
  storableText(texts.join('\n')).toLowerCase();

/** The condition of a search, for a table with the columns `search_text` and `tags`. */
export function matches({ text, tags = [] }: Search): RawBuilder<SqlBool> {
  const parts = [
    ...(text === undefined ? [] : [contains('search_text', text.toLowerCase())]),
    // Tags contain no quotation marks, so the text of one is not part of another.
    ...tags.map((tag) => contains('tags', JSON.stringify(tag))),
  ];
  return sql`(${sql.join([sql`1 = 1`, ...parts], sql` and `)})`;
}
