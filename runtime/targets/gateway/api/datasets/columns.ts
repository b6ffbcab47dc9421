import { Type } from 'typebox';
import { AppError } from '#contract/errors.ts';
import { isObject } from '#core/json/is-object.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import type { ColumnMapping } from '../../evaluation/datasets/column-mapping.ts';

/** The mapping of columns in a body. */
export const columns = Type.Unsafe<ColumnMapping>({
  type: 'object',
  additionalProperties: { type: 'string', minLength: 1 },
  description:
    'New names of columns, with the names in the file as values, e.g. `{"examples": "text", "ground_truth": "label"}`.',
});

/** Reads the mapping of columns of an upload, as JSON. Throws an InputError. */
export function columnsIn(text: string | undefined): ColumnMapping | undefined {
  if (text === undefined || text === '') return undefined;
  let value: unknown;
  try {
    value = parseJsonText(text);
  } catch {
    throw invalid(text);
  }
  if (!isObject(value) || !Object.values(value).every((name) => typeof name === 'string' && name !== ''))
    throw invalid(text);
  return value as ColumnMapping;
}

function invalid(text: string): AppError {
  const message = `columns must be a JSON object such as {"examples": "text"}, not ${JSON.stringify(text.slice(0, 100))}`;
  return new AppError('InputError', message, { details: [{ location: 'body.columns', message }] });
}
