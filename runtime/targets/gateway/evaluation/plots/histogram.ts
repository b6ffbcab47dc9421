export interface Bin {
  readonly from: number;
  readonly to: number;
  readonly rows: number;
}

/**
 * Counts values in bins of equal width between two numbers; the last bin includes its upper edge, as in
 * NumPy. NaN is omitted.
 */
export function histogramOf(
  values: Iterable<number>,
  { from, to, bins }: { readonly from: number; readonly to: number; readonly bins: number },
): readonly Bin[] {
  const width = (to - from) / bins;
  const edges = Array.from({ length: bins + 1 }, (_, at) => (at === bins ? to : from + at * width));
  const counts = Array.from({ length: bins }, () => 0);
  for (const value of values) {
    if (!(value >= from && value <= to)) continue;
    let at = Math.min(bins - 1, Math.floor((value - from) / width));
    // Division can round to the wrong side of a bin edge.
    if (value < (edges[at] ?? from)) at -= 1;
    else if (at < bins - 1 && value >= (edges[at + 1] ?? to)) at += 1;
    counts[at] = (counts[at] ?? 0) + 1;
  }
  return counts.map((rows, at) => ({ from: edges[at] ?? from, to: edges[at + 1] ?? to, rows }));
}
