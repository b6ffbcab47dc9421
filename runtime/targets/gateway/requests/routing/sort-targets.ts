import type { Strategy } from './strategies.ts';
import type { SpeedKind, TargetLoads } from './target-loads.ts';

/** A target of an alias, with its weight. */
export interface Choice {
  readonly key: string;
  readonly weight: number;
}

export interface SortParts {
  readonly loads: TargetLoads;
  readonly kind: SpeedKind;
  readonly now: number;
  readonly random: () => number;
}

/** Share of requests that can try another target than the fastest one, so that a target that has become faster is noticed. */
const TRIAL_SHARE = 0.05;

/** Sorts targets by a strategy. They come in random order by weight, which decides between equal ones. */
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
  // A target without a measurement is tried immediately, but not by all requests until its first answer.
  const due = targets.filter((target) => target !== fastest && (isMeasured || speedOf(target) === undefined));
  const mayTry = !isMeasured || random() < TRIAL_SHARE;
  const tried = mayTry ? due.find(({ key }) => loads.takeTrial(key, now)) : undefined;
  return tried ? [tried, ...sorted.filter((target) => target !== tried)] : sorted;
}
