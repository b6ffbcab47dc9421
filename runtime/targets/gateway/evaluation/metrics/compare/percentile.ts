/** Percentile with linear interpolation between neighbors (numpy's default). */
export function percentile(sorted: Float64Array, share: number): number {
  const position = share * (sorted.length - 1);
  const [below, above] = [sorted[Math.floor(position)] ?? 0, sorted[Math.ceil(position)] ?? 0];
  return below + (above - below) * (position - Math.floor(position));
}
