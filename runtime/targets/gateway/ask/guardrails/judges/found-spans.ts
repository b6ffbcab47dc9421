/** A part of a text that a check found. */
export interface FoundSpan {
  readonly start: number;
  readonly end: number;
  /** Type of the entity, or name of the pattern. */
  readonly label: string;
  readonly score: number;
}

/** Spans in order, without overlaps: of two that overlap, the longer one stays. */
export function withoutOverlaps<Span extends FoundSpan>(spans: readonly Span[]): Span[] {
  const longestFirst = spans.toSorted(
    (one, other) => other.end - other.start - (one.end - one.start) || one.start - other.start,
  );
  const kept: Span[] = [];
  for (const span of longestFirst)
    if (!kept.some(({ start, end }) => span.start < end && start < span.end)) kept.push(span);
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
