import { parseJsonText } from '#core/json/json-text.ts';
import type { DatasetCell, RowCells } from '../../datasets/dataset.ts';
import { inputError } from '#contract/errors.ts';
import { isObject } from '#core/json/is-object.ts';
import type { LabeledSpan } from '../../metrics/tokens/spans.ts';

/** A cell's value. Lists and objects in CSV cells are parsed; other values are returned unchanged. */
export function cellJson(cell: DatasetCell | undefined): unknown {
  if (typeof cell !== 'string' || !/^\s*[[{]/.test(cell)) return cell;
  try {
    return parseJsonText(cell);
  } catch {
    return cell;
  }
}

/** A row's label, or its list of labels. Throws an InputError for any other value. */
export function cellLabels(cell: DatasetCell | undefined): string | readonly string[] {
  const value = cellJson(cell);
  if (Array.isArray(value) && value.every(isPlain)) return value.map(String);
  if (isPlain(value)) return String(value).trim();
  throw inputError(`${JSON.stringify(cell ?? null).slice(0, 80)} is neither a label nor a list of labels.`);
}

const isPlain = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/** A row's scores for all labels; undefined if there are none. */
export function scoresOf({ scores: cell }: RowCells): Readonly<Record<string, number>> | undefined {
  const value = cellJson(cell);
  if (!isObject(value) || Object.keys(value).length === 0) return undefined;
  return areNumbers(value) ? value : undefined;
}

const areNumbers = (
  members: Readonly<Record<string, unknown>>,
): members is Readonly<Record<string, number>> =>
  Object.values(members).every((score) => typeof score === 'number');

export type TaggedTokens =
  | { readonly kind: 'labels'; readonly labels: readonly string[] }
  | { readonly kind: 'spans'; readonly spans: readonly LabeledSpan[] };

/**
 * Parses one label per word, e.g. `["B-PER", "O"]` or `B-PER O`, or spans in the text, e.g. `[{"start": 0,
 * "end": 4, "label": "PER"}]`. An empty list means no spans. Throws an InputError for any other value.
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

/** Maximum number of references per row. */
const MAX_REFERENCES = 100;

/** A row's references: the texts in a list, or the only one. A CSV cell is always one text. */
export const referenceTexts = (truth: DatasetCell): readonly string[] =>
  Array.isArray(truth) ? truth.map(cellText) : [cellText(truth)];

/** Throws an InputError for a ground truth that is neither a text nor a list of texts. */
export function checkReferences(truth: DatasetCell | undefined): void {
  if (!Array.isArray(truth)) {
    if (typeof truth === 'object') throw inputError('`ground_truth` must be a string or a list of strings.');
    return;
  }
  const isText = (one: DatasetCell): boolean => typeof one === 'string' && one.trim() !== '';
  if (truth.length === 0 || truth.length > MAX_REFERENCES || !truth.every(isText)) {
    throw inputError(`A list in \`ground_truth\` must contain 1 to ${MAX_REFERENCES} non-empty strings.`);
  }
}

/** A cell's text. Values of other types are returned as JSON. */
export function cellText(cell: DatasetCell | undefined): string {
  if (typeof cell === 'string') return cell;
  return cell === null || cell === undefined ? '' : JSON.stringify(cell);
}
