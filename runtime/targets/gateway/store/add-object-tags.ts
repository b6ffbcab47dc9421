import type { Kysely } from 'kysely';
import { searchTextOf } from './search.ts';

const NAMES = {
  gateway_datasets: ['filename'],
  gateway_experiments: ['name', 'description'],
  gateway_workflows: ['name', 'description'],
} as const;

type Tables = {
  readonly [Table in keyof typeof NAMES]: Readonly<Record<string, string>> & { readonly id: string };
};

/** Adds tags to datasets, experiments and workflows, and the text that a search compares with. */
export async function addObjectTags(untyped: Kysely<unknown>): Promise<void> {
  const db = untyped as Kysely<Tables>;
  for (const table of Object.keys(NAMES) as (keyof Tables)[]) {
    for (const [column, initial] of [
      ['tags', '[]'],
      ['search_text', ''],
    ] as const) {
      await db.schema
        .alterTable(table)
        .addColumn(column, 'text', (definition) => definition.notNull().defaultTo(initial))
        .execute();
    }
    const rows = await db
      .selectFrom(table)
      .select(['id', ...NAMES[table]])
      .execute();
    for (const { id, ...texts } of rows) {
      const search = searchTextOf(...Object.values(texts as Readonly<Record<string, string>>));
      await db.updateTable(table).set({ search_text: search }).where('id', '=', id).execute();
    }
  }
}
