import { inputError } from '#contract/errors.ts';
import { isObject } from '#core/json/is-object.ts';
import type { LabeledSpan } from '../../metrics/tokens/spans.ts';
import type { DatasetCell } from '../../datasets/dataset.ts';
import { cellJson } from './read-json.ts';

export type TaggedTokens =
  | { readonly kind: 'labels'; readonly labels: readonly string[] }
  | { readonly kind: 'spans'; readonly spans: readonly LabeledSpan[] };

/**
 * Reads a label for each word, e.g. `["B-PER", "O"]` or `B-PER O`, or spans of the text, e.g. `[{"start": 0, "end": 4, "label":
 * "PER"}]`. An empty list has no spans. Throws an InputError for any other value.
 */
export function readTags(cell: DatasetCell | undefined): TaggedTokens {
  const value = cellJson(cell);
  if (typeof value === 'string' && !/^\s*[[{]/.test(value))
    return { kind: 'labels', labels: value.split(/\s+/).filter((label) => label !== '') };
  if (Array.isArray(value) && value.length > 0 && value.every((label) => typeof label === 'string'))
    return { kind: 'labels', labels: value };
  if (Array.isArray(value) && value.every(isSpan))
    return { kind: 'spans', spans: value.map(({ start, end, label }) => ({ start, end, label })) };
  throw inputError(
    `${JSON.stringify(cell ?? null).slice(0, 80)} is neither a list of labels nor a list of spans with start, end and label.`,
  );
}

const isSpan = (value: unknown): value is LabeledSpan =>
  isObject(value) &&
  typeof value['start'] === 'number' &&
  typeof value['end'] === 'number' &&
  Number.isInteger(value['start']) &&
  Number.isInteger(value['end']) &&
  value['start'] < value['end'] &&
  typeof value['label'] === 'string';
