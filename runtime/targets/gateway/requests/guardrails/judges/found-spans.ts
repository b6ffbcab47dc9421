import type { Steps } from '#core/limits/steps.ts';

/** A part of a text that a check found. */
export interface FoundSpan {
  readonly start: number;
  readonly end: number;
  /** Type of the entity, or name of the pattern. */
  readonly label: string;
  readonly score: number;
}

/** Spans that are handled in one step. */
export const SPANS_PER_STEP = 256;

/** Spans in order, without overlaps: of two that overlap, the longer one stays. A text can have hundreds of thousands of them. */
export function* withoutOverlaps<Span extends FoundSpan>(spans: readonly Span[]): Steps<Span[]> {
  const kept: Span[] = [];
  let group: Span[] = [];
  let groupEnd = 0;
  let work = 0;
  for (const span of spans.toSorted((one, other) => one.start - other.start)) {
    if (group.length > 0 && span.start >= groupEnd) {
      for (const one of longestOf(group)) kept.push(one);
      group = [];
    }
    groupEnd = group.length === 0 ? span.end : Math.max(groupEnd, span.end);
    group.push(span);
    work += 1;
    if (work % SPANS_PER_STEP === 0) yield;
  }
  for (const one of longestOf(group)) kept.push(one);
  return kept;
}

/**
 * Of spans that overlap one another in a chain, the longest ones that do not overlap, in order. A span that is kept is at least as long as
 * those after it, so that one of those that overlaps it begins or ends in it.
 */
function longestOf<Span extends FoundSpan>(group: readonly Span[]): readonly Span[] {
  if (group.length <= 1) return group;
  const longestFirst = group.toSorted(
    (one, other) => other.end - other.start - (one.end - one.start) || one.start - other.start,
  );
  const first = longestFirst.reduce((least, { start }) => Math.min(least, start), Infinity);
  const last = longestFirst.reduce((most, { end }) => Math.max(most, end), 0);
  const covered = new Uint8Array(last - first + 1);
  const kept = longestFirst.filter(({ start, end }) => {
    if (covered[start - first] || covered[Math.max(start, end - 1) - first]) return false;
    covered.fill(1, start - first, end - first);
    return true;
  });
  return kept.toSorted((one, other) => one.start - other.start);
}

/** The number of spans by label. */
export function countSpans(spans: readonly FoundSpan[]): Readonly<Record<string, number>> {
  const byLabel = Map.groupBy(spans, ({ label }) => label);
  return Object.fromEntries([...byLabel].map(([label, all]) => [label, all.length]));
}

/** The number of spans by label, e.g. `PER 2, ORG 1`. */
export function describeSpans(spans: readonly (readonly FoundSpan[])[]): string {
  const counts = Object.entries(countSpans(spans.flat()));
  return counts.map(([label, count]) => `${label} ${count}`).join(', ') || 'nothing found';
}
