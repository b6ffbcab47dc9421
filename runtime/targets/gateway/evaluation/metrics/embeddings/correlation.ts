/**
 * Pearson correlation, or the reason why it is undefined. Uses two passes: deviations from the true mean lose no digits if the
 * mean is large.
 */
export function pearson(xs: readonly number[], ys: readonly number[]): number | string {
  if (xs.length < 2) return 'A correlation needs at least two rows.';
  if (isConstant(xs) || isConstant(ys)) return CONSTANT;
  const [dx, dy] = [deviations(xs), deviations(ys)];
  return Math.min(1, Math.max(-1, dot(dx, dy) / (norm(dx) * norm(dy))));
}

/** Pearson correlation of the ranks; equal values share their mean rank. */
export function spearman(xs: readonly number[], ys: readonly number[]): number | string {
  // Ranks of values that only differ in their last digits would be meaningless.
  if (isConstant(xs) || isConstant(ys)) return pearson(xs, ys);
  return pearson(ranks(xs), ranks(ys));
}

const CONSTANT = 'One side is constant, so the correlation is undefined.';

/** Also true if only rounding differs; this is scipy's threshold for its warning. */
function isConstant(values: readonly number[]): boolean {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return norm(deviations(values)) <= NOISE * Math.abs(mean);
}

const NOISE = 1e-13;

function deviations(values: readonly number[]): number[] {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.map((value) => value - mean);
}

const dot = (xs: readonly number[], ys: readonly number[]): number =>
  xs.reduce((sum, x, at) => sum + x * (ys[at] ?? 0), 0);

const norm = (values: readonly number[]): number => Math.sqrt(dot(values, values));

function ranks(values: readonly number[]): number[] {
  const order = values.map((_, at) => at).sort((one, other) => (values[one] ?? 0) - (values[other] ?? 0));
  const ranked = Array.from(values, () => 0);
  for (let from = 0; from < order.length;) {
    let to = from + 1;
    while (to < order.length && valueAt(values, order[to]) === valueAt(values, order[from])) to += 1;
    for (const at of order.slice(from, to)) ranked[at] = (from + 1 + to) / 2;
    from = to;
  }
  return ranked;
}

const valueAt = (values: readonly number[], at: number | undefined): number => values[at ?? 0] ?? 0;
