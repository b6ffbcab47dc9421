import { inputError } from '#contract/errors.ts';
import { isObject } from '#core/json/is-object.ts';
import type { DatasetCell, RowCells } from '../../datasets/dataset.ts';
import { isEmptyCell } from '../../datasets/check-row.ts';
import { cellJson } from '../evaluation/read-cells.ts';

/** The value of a column; undefined if it is empty. An empty list is a value. Lists and objects in CSV are parsed. */
export function valueOf(row: RowCells, column: string): unknown {
  const cell: DatasetCell | undefined = row[column];
  return isEmptyCell(cell) && !Array.isArray(cell) ? undefined : cellJson(cell);
}

/** A list with at most `limit` items. Throws an InputError for any other value. */
export function listIn(value: unknown, name: string, limit: number): readonly unknown[] {
  if (!Array.isArray(value)) throw inputError(`\`${name}\` must be a list, not ${shown(value)}.`);
  if (value.length > limit)
    throw inputError(`\`${name}\` has ${value.length} entries; the maximum is ${limit}.`);
  return value;
}

/** Throws an InputError for a value that is not an object, or that has other members. */
export function objectIn(
  value: unknown,
  name: string,
  members?: readonly string[],
): Readonly<Record<string, unknown>> {
  if (!isObject(value)) throw inputError(`\`${name}\` must be an object, not ${shown(value)}.`);
  const unknown = members && Object.keys(value).find((key) => !members.includes(key));
  if (unknown !== undefined) {
    throw inputError(
      `\`${name}\` has the unknown member ${JSON.stringify(unknown.slice(0, 100))}. Members: ${members?.join(', ')}.`,
    );
  }
  return value;
}

/** Throws an InputError for a value that is not a non-empty string. */
export function textIn(value: unknown, name: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw inputError(`\`${name}\` must be a non-empty string, not ${shown(value)}.`);
}

/** A value for messages, truncated. */
export const shown = (value: unknown): string => (JSON.stringify(value) ?? 'undefined').slice(0, 80);
