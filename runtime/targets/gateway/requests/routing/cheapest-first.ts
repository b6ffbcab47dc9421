import type { Resolved, Target } from './routing.ts';

/**
 * Sorts the targets of an alias whose strategy is `cheapest` by their cost for a request. Those without a price come last, and equal
 * ones stay in their random order.
 */
export function cheapestFirst(resolved: Resolved, costOf: (target: Target) => bigint | undefined): Resolved {
  const { strategy, targets, primaries } = resolved;
  if (strategy !== 'cheapest') return resolved;
  const costs = new Map(targets.map((target) => [target, costOf(target)]));
  const compare = (one: Target, other: Target): number => {
    const [cost, than] = [costs.get(one), costs.get(other)];
    if (cost === undefined || than === undefined)
      return Number(cost === undefined) - Number(than === undefined);
    return cost < than ? -1 : Number(cost > than);
  };
  return {
    ...resolved,
    targets: [...targets.slice(0, primaries).toSorted(compare), ...targets.slice(primaries)],
  };
}
