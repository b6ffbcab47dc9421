/**
 * The p-value of McNemar's exact two-sided test for rows that are correct (1) or wrong (0): if both models were equally good,
 * each row on which they differ would be a fair coin.
 */
export function mcnemar(first: Float64Array, second: Float64Array): number {
  let [firstOnly, secondOnly] = [0, 0];
  for (const [at, score] of first.entries()) {
    if (score > (second[at] ?? 0)) firstOnly += 1;
    if (score < (second[at] ?? 0)) secondOnly += 1;
  }
  return coinProbability(firstOnly, secondOnly);
}

/** Probability that fair coins fall at least as unevenly. */
function coinProbability(heads: number, tails: number): number {
  const [fewer, tosses] = [Math.min(heads, tails), heads + tails];
  let logTerm = -tosses * Math.LN2;
  for (let at = 1; at <= fewer; at++) logTerm += Math.log((tosses - fewer + at) / at);
  // Sums from the largest term down, each the previous one times a factor below 1, until terms no longer matter.
  let [sum, term] = [0, 1];
  for (let at = fewer; at >= 0 && term > sum * Number.EPSILON; at--) {
    sum += term;
    term *= at / (tosses - at + 1);
  }
  return Math.min(1, 2 * sum * Math.exp(logTerm));
}
