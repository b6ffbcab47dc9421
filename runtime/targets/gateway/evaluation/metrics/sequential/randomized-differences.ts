/** A user, or another unit, in an A/B test, with the value of its responses. */
export interface RandomizedValue {
  readonly isCandidate: boolean;
  /** Probability, above 0 and below 1, with which the unit got the candidate. */
  readonly share: number;
  readonly value: number;
}

/** An estimate of the difference that the candidate makes, from one unit, and its largest possible size. */
interface EstimatedDifference {
  readonly difference: number;
  readonly bound: number;
}

/**
 * Returns a function that turns the units of an A/B test, in the order of their first requests, into differences whose
 * mean is what the candidate changes. They are inverse probability weighted estimates, around the means of the units
 * before (augmented, in the terms of Robins, Rotnitzky and Zhao, 1994). They do not assume that early units are
 * like late ones, or that the share stays the same. Values are from 0 to 1. A unit without a value, e.g. without
 * feedback, has no difference, but counts: more of one model's units can have values.
 */
export function createRandomizedDifferences(): (
  unit: Omit<RandomizedValue, 'value'> & { readonly value: number | undefined },
) => EstimatedDifference | undefined {
  const [current, candidate] = [createArm(), createArm()];
  return ({ isCandidate, share: drawn, value }) => {
    const share = shareWithValues(drawn, current.rate(), candidate.rate());
    const center = centerOf(current.mean(), candidate.mean(), share);
    (isCandidate ? candidate : current).add(value);
    if (value === undefined) return undefined;
    return {
      difference: weighted({ isCandidate, share, value }, center),
      bound: Math.max(center, 1 - center) / Math.min(share, 1 - share),
    };
  };
}

/** The same estimates for values without bounds, around the means of all units, for `meanInterval`. */
export function randomizedDifferences(units: readonly RandomizedValue[]): number[] {
  const meanOf = (isCandidate: boolean): number => {
    const values = units.filter((unit) => unit.isCandidate === isCandidate);
    return values.reduce((sum, { value }) => sum + value, 0) / Math.max(1, values.length);
  };
  const [current, candidate] = [meanOf(false), meanOf(true)];
  return units.map((unit) => weighted(unit, centerOf(current, candidate, unit.share)));
}

/** The candidate's share of the units with a value, if units of one model have one more often. */
const shareWithValues = (share: number, currentRate: number, candidateRate: number): number =>
  (share * candidateRate) / (share * candidateRate + (1 - share) * currentRate);

/** The value from which deviations are measured. This one makes the variance smallest. */
const centerOf = (current: number, candidate: number, share: number): number =>
  (1 - share) * candidate + share * current;

const weighted = ({ isCandidate, share, value }: RandomizedValue, center: number): number =>
  isCandidate ? (value - center) / share : (center - value) / (1 - share);

/** The units of one model so far. They begin with one that has the value 0.5. */
function createArm() {
  let [units, count, sum] = [1, 1, 0.5];
  return {
    mean: () => sum / count,
    /** The share of the units that have a value. */
    rate: () => count / units,
    add(value: number | undefined) {
      units += 1;
      if (value === undefined) return;
      count += 1;
      sum += value;
    },
  };
}
