import type { Resolved, Target } from './routing.ts';
import type { Strategy } from './strategies.ts';
import type { SpeedKind, TargetLoads } from './target-loads.ts';

// Sorts an alias's targets into the order in which they are tried.

/** A target of an alias, with its weight. */
interface Choice {
  readonly key: string;
  readonly weight: number;
}

interface SortParts {
  readonly loads: TargetLoads;
  readonly kind: SpeedKind;
  readonly now: number;
  readonly random: () => number;
}

/**
 * Fraction of requests that can try a target other than the fastest one, so that a target that has become
 * faster is noticed.
 */
const TRIAL_SHARE = 0.05;

/** Sorts targets by a strategy. The given order, which was drawn at random by weight, breaks ties. */
export function sortTargets<Target extends Choice>(
  targets: readonly Target[],
  strategy: Strategy,
  parts: SortParts,
): readonly Target[] {
  if (strategy === 'fastest') return fastestFirst(targets, parts);
  if (strategy !== 'least_busy') return targets;
  const loadOf = ({ key, weight }: Choice): number => (parts.loads.running(key) + 1) / weight;
  return targets.toSorted((one, other) => loadOf(one) - loadOf(other));
}

function fastestFirst<Target extends Choice>(
  targets: readonly Target[],
  { loads, kind, now, random }: SortParts,
): readonly Target[] {
  const speedOf = ({ key }: Choice): number | undefined => loads.speed(key, kind);
  const sorted = targets.toSorted(
    (one, other) => (speedOf(one) ?? Infinity) - (speedOf(other) ?? Infinity) || 0,
  );
  const [fastest] = sorted;
  const isMeasured = targets.every((target) => speedOf(target) !== undefined);
  // A target whose speed has not been measured yet is tried immediately, but not by all requests that
  // arrive before its first response.
  const due = targets.filter((target) => target !== fastest && (isMeasured || speedOf(target) === undefined));
  const mayTry = !isMeasured || random() < TRIAL_SHARE;
  const tried = mayTry ? due.find(({ key }) => loads.takeTrial(key, now)) : undefined;
  return tried ? [tried, ...sorted.filter((target) => target !== tried)] : sorted;
}

/**
 * Sorts the targets of an alias with the strategy `cheapest` by their cost for a request. Targets without a
 * price come last, and targets with equal cost stay in random order.
 */
export function cheapestFirst(resolved: Resolved, costOf: (target: Target) => bigint | undefined): Resolved {
  const { targets, primaries } = resolved;
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
