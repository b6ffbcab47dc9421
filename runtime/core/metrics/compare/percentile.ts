/** What a share of the values lies below, between two neighbours on the straight line (numpy's default). */
export function percentile(sorted: Float64Array, share: number): number {
  const position = share * (sorted.length - 1);
  const [below, above] = [sorted[Math.floor(position)] ?? 0, sorted[Math.ceil(position)] ?? 0];
  return below + (above - below) * (position - Math.floor(position));
}
