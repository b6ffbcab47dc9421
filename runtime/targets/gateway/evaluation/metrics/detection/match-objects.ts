import { areaOf, type FoundObject, overlapOf, type TrueObject } from './boxes.ts';

/** Overlaps from which a found object counts as the true one: 0.5 to 0.95, with the values of NumPy's `linspace`. */
export const OVERLAPS: readonly number[] = Array.from({ length: 10 }, (_, at) =>
  at === 9 ? 0.95 : at * ((0.95 - 0.5) / 9) + 0.5,
);

/** COCO's ranges of the areas of objects, in square pixels. Both ends belong to a range. */
export const AREAS = {
  all: [0, 1e10],
  small: [0, 32 ** 2],
  medium: [32 ** 2, 96 ** 2],
  large: [96 ** 2, 1e10],
} as const satisfies Record<string, readonly [number, number]>;

/** Found objects per label and image that are evaluated: those with the highest scores. */
const MAX_FOUND = 100;

/** The evaluation of one label in one image, for one range of areas. */
export interface Matches {
  /** Number of true objects that should be found. */
  readonly truths: number;
  /** What each found object is at each of `OVERLAPS`, see `outcomeAt`. */
  readonly outcomes: readonly number[];
}

export type Outcome = 'right' | 'wrong' | 'ignored';

/**
 * Outcomes are bits, so that millions of them can be saved: the lower ones are set at overlaps where the
 * object is right, the upper ones where it is ignored.
 */
export function outcomeAt(outcome: number, overlap: number): Outcome {
  if ((outcome >> (overlap + OVERLAPS.length)) & 1) return 'ignored';
  return (outcome >> overlap) & 1 ? 'right' : 'wrong';
}

/** The objects with the highest scores, in descending order. Equal scores keep their order. */
export const bestFound = (found: readonly FoundObject[]): readonly FoundObject[] =>
  found.toSorted((one, other) => other.score - one.score).slice(0, MAX_FOUND);

/**
 * Matches the found objects of one label in an image with its true ones as pycocotools does, for each range
 * of areas: in order of their scores, each found object gets the free true object with the largest overlap.
 */
export function matchObjects(
  found: readonly FoundObject[],
  truths: readonly TrueObject[],
): Readonly<Record<keyof typeof AREAS, Matches>> {
  const overlaps = found.map(({ box }) => truths.map((truth) => overlapOf(box, truth)));
  const inRange = (range: readonly [number, number]): Matches => {
    const isOutside = (area: number): boolean => area < range[0] || area > range[1];
    const isIgnored = truths.map(({ isCrowd, area }) => isCrowd || isOutside(area));
    // True objects that should be found come first, so that the others only get what is left.
    const order = [...truths.keys()].toSorted(
      (one, other) => Number(isIgnored[one]) - Number(isIgnored[other]),
    );
    const outcomes = found.map(() => 0);
    for (const [level, least] of OVERLAPS.entries()) {
      const taken = new Set<number>();
      for (const [at, { box }] of found.entries()) {
        const own = overlaps[at] ?? [];
        const match = bestMatch(own, { order, truths, isIgnored, taken, least });
        if (match !== undefined) taken.add(match);
        const isLeftOut = match === undefined ? isOutside(areaOf(box)) : isIgnored[match] === true;
        const bit = isLeftOut ? level + OVERLAPS.length : level;
        if (isLeftOut || match !== undefined) outcomes[at] = (outcomes[at] ?? 0) | (1 << bit);
      }
    }
    return { truths: isIgnored.filter((ignored) => !ignored).length, outcomes };
  };
  const { all, small, medium, large } = AREAS;
  return { all: inRange(all), small: inRange(small), medium: inRange(medium), large: inRange(large) };
}

interface Candidates {
  readonly order: readonly number[];
  readonly truths: readonly TrueObject[];
  readonly isIgnored: readonly boolean[];
  readonly taken: ReadonlySet<number>;
  readonly least: number;
}

/** The true object that a found one matches. Among equal overlaps, it is the last one. */
function bestMatch(
  overlaps: readonly number[],
  { order, truths, isIgnored, taken, least }: Candidates,
): number | undefined {
  let highest = Math.min(least, 1 - 1e-10);
  let best: number | undefined;
  for (const at of order) {
    if (taken.has(at) && truths[at]?.isCrowd !== true) continue;
    if (best !== undefined && isIgnored[best] === false && isIgnored[at] === true) break;
    const overlap = overlaps[at] ?? 0;
    if (overlap < highest) continue;
    highest = overlap;
    best = at;
  }
  return best;
}
