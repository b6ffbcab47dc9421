import { sql, type SelectQueryBuilder } from 'kysely';
import { storableText } from '../../store/storable-text.ts';
import type { Schema } from '../../store/schema.ts';
import type { ExperimentFilter } from './experiment.ts';

/** Selects experiments whose name or description contains a text, ignoring case, and those with a tag. */
export function filterExperiments<Row>(
  query: SelectQueryBuilder<Schema, 'gateway_experiments', Row>,
  { search = '', tag = '' }: ExperimentFilter,
): SelectQueryBuilder<Schema, 'gateway_experiments', Row> {
  let found = query;
  for (const [column, text] of [
    [sql`name || ' ' || description`, search],
    // Tags are stored as JSON, where each is in quotes.
    [sql`tags`, tag === '' ? '' : JSON.stringify(tag)],
  ] as const) {
    if (text !== '') found = found.where(sql<boolean>`lower(${column}) like ${patternOf(text)} escape '!'`);
  }
  return found;
}

const patternOf = (text: string): string =>
  `%${storableText(text).toLowerCase().replaceAll(/[!%_]/g, '!$&')}%`;
