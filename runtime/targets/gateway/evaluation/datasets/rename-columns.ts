import { inputError } from '#contract/errors.ts';
import { didYouMean } from '#core/text/suggest.ts';
import type { ColumnMapping } from './column-mapping.ts';
import type { Row } from './dataset.ts';

/** Renames columns. Throws an InputError if a column is missing, or if two columns would get one name. */
export async function* renameColumns(
  rows: AsyncIterable<Row>,
  mapping: ColumnMapping | undefined,
): AsyncGenerator<Row, void> {
  if (mapping === undefined || Object.keys(mapping).length === 0) {
    yield* rows;
    return;
  }
  let names: ReadonlyMap<string, string> | undefined;
  for await (const row of rows) {
    names ??= newNames(Object.keys(row), mapping);
    const renamed = Object.entries(row).map(([name, cell]) => [names?.get(name) ?? name, cell] as const);
    yield Object.fromEntries(renamed);
  }
}

function newNames(columns: readonly string[], mapping: ColumnMapping): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const [name, column] of Object.entries(mapping)) {
    if (!columns.includes(column)) {
      throw inputError(
        `The dataset has no column ${JSON.stringify(column)}${didYouMean(column, columns) || '.'} Columns: ${columns.join(', ')}.`,
      );
    }
    if (names.has(column))
      throw inputError(`Column ${JSON.stringify(column)} cannot get two names. Map it once.`);
    names.set(column, name);
  }
  const taken = columns.find((column) => !names.has(column) && Object.hasOwn(mapping, column));
  if (taken !== undefined) {
    throw inputError(
      `The dataset already has a column ${JSON.stringify(taken)}. Give that column another name too, e.g. ${JSON.stringify({ [`old_${taken}`]: taken })}.`,
    );
  }
  return names;
}
