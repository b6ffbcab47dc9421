import type { WeightedTarget } from './routing.ts';

/** Returns all targets in random order, drawn one after the other by weight. */
export function orderTargets(targets: readonly WeightedTarget[], random: () => number): WeightedTarget[] {
  const left = [...targets];
  const order: WeightedTarget[] = [];
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
  // Only targets with weight 0 are left.
  return 0;
}
