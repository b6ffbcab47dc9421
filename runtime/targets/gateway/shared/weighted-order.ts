/**
 * Returns all choices in random order, drawn one by one with a probability proportional to their weight. Those
 * with weight 0 come last.
 */
export function orderByWeight<Choice extends { readonly weight?: number | undefined }>(
  choices: readonly Choice[],
  random: () => number,
): Choice[] {
  const left = [...choices];
  const order: Choice[] = [];
  while (left.length > 0) {
    const [drawn] = left.splice(
      draw(
        left.map(({ weight = 1 }) => weight),
        random,
      ),
      1,
    );
    if (drawn) order.push(drawn);
  }
  return order;
}

function draw(weights: readonly number[], random: () => number): number {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let point = random() * total;
  for (const [index, weight] of weights.entries()) {
    point -= weight;
    if (point < 0) return index;
  }
  // Either rounding moved the point to the end, or only choices with weight 0 are left.
  return Math.max(
    0,
    weights.findLastIndex((weight) => weight > 0),
  );
}
