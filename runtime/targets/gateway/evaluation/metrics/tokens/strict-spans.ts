import { inputError } from '#contract/errors.ts';
import type { Span } from './span.ts';
import { trimOf } from '#core/text/trim-text.ts';

/**
 * Finds the spans of a row like seqeval with `mode="strict", scheme=IOB2`: from a `B-` over the following `I-` of the same
 * type.
 */
export function strictSpans(labels: readonly string[]): Span[] {
  const spans: Span[] = [];
  let open: Span | undefined;
  for (const [at, label] of labels.entries()) {
    const type = typeOf(label);
    if (label.startsWith('I') && open?.label === type) {
      open = { ...open, end: at + 1 };
      continue;
    }
    if (open) spans.push(open);
    open = label.startsWith('B') ? { start: at, end: at + 1, label: type } : undefined;
  }
  return open ? [...spans, open] : spans;
}

function typeOf(label: string): string {
  if (/^[BIO]/.test(label)) return trimOf(label.slice(1), '-') || '_';
  throw inputError(
    `The label ${JSON.stringify(label)} does not follow the IOB2 scheme, whose labels start with B, I or O. Use the mode "default".`,
  );
}
