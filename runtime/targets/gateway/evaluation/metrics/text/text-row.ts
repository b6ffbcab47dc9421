import { AppError } from '#contract/errors.ts';
import type { MetricRow } from '../metric.ts';

/** A row can have several references, of which the best one counts. */
export interface TextRow extends MetricRow<string> {
  readonly otherReferences?: readonly string[] | undefined;
}

export const referencesOf = ({ reference, otherReferences = [] }: TextRow): readonly string[] => [
  reference,
  ...otherReferences,
];

/** Maximum text length. Counting the n-grams of such a text takes a few hundred megabytes and a few seconds. */
const MAX_CHARACTERS = 250_000;

export function checkLength(row: TextRow): void {
  for (const [name, text] of [
    ['prediction', row.prediction],
    ...referencesOf(row).map((reference) => ['reference', reference] as const),
  ] as const) {
    if (text.length > MAX_CHARACTERS) {
      throw new AppError(
        'TooLargeError',
        `The ${name} has ${text.length} characters. Text metrics support at most ${MAX_CHARACTERS}; shorten it or omit the row.`,
      );
    }
  }
}
