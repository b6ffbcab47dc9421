import type { Span } from './span.ts';
import { type Tag, tagOf } from './tag.ts';

/**
 * Finds the spans of a row like `conlleval` and seqeval's default mode: an `I-` without a start begins a span, `E-` ends one,
 * `S-` is one, and the type of a label without a prefix follows its first letter. Rows are independent, unlike in seqeval,
 * where a row that starts with a lone `-` continues in the previous row.
 */
export function lenientSpans(labels: readonly string[]): Span[] {
  const spans: Span[] = [];
  let start = 0;
  let before: Tag = OUTSIDE;
  for (const [at, tag] of [...labels.map(tagOf), OUTSIDE].entries()) {
    if (ends(before, tag)) spans.push({ start, end: at, label: before.type });
    if (starts(before, tag)) start = at;
    before = tag;
  }
  return spans;
}

const OUTSIDE: Tag = { prefix: 'O', type: '_' };

const ends = (before: Tag, tag: Tag): boolean =>
  'ES'.includes(before.prefix) ||
  ('BI'.includes(before.prefix) && 'BSO'.includes(tag.prefix)) ||
  (isInside(before) && before.type !== tag.type);

const starts = (before: Tag, tag: Tag): boolean =>
  'BS'.includes(tag.prefix) ||
  ('ESO'.includes(before.prefix) && 'EI'.includes(tag.prefix)) ||
  (isInside(tag) && before.type !== tag.type);

const isInside = ({ prefix }: Tag): boolean => prefix !== 'O' && prefix !== '.';
