import { inputError } from '#contract/errors.ts';
import type { DatasetCell } from '../../datasets/dataset.ts';
import { cellJson } from './read-json.ts';

/** The label of a row, or the list of its labels. Throws an InputError for any other value. */
export function cellLabels(cell: DatasetCell | undefined): string | readonly string[] {
  const value = cellJson(cell);
  if (Array.isArray(value) && value.every(isPlain)) return value.map(String);
  if (isPlain(value)) return String(value).trim();
  throw inputError(`${JSON.stringify(cell ?? null).slice(0, 80)} is neither a label nor a list of labels.`);
}

const isPlain = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
