import { AppError } from '#contract/errors.ts';
import { keysOf } from '#core/values/keys.ts';
import { pushAll } from '#core/values/push-all.ts';
import { sortedLabels } from '../averages.ts';
import {
  type AnyJson,
  type Metric,
  type MetricMaker,
  metricResult,
  type MetricResult,
  type MetricRow,
  type RowScores,
  withoutRows,
} from '../metric.ts';
import { sortedOrder } from '../sorted-order.ts';
import type { FoundObject, TrueObject } from './boxes.ts';
import { interpolatedPrecision } from './interpolated-precision.ts';
import { AREAS, bestFound, matchObjects, outcomeAt, OVERLAPS } from './match-objects.ts';

/** The objects in an image, and what the model found; null if the model gave no response. */
export type DetectionRow = MetricRow<readonly FoundObject[] | null, readonly TrueObject[]>;

type Area = keyof typeof AREAS;
const AREA_NAMES = keysOf(AREAS);

/** The found objects of one label in all images, in the order of the images. */
interface Found {
  readonly scores: number[];
  /** For each range of areas. */
  readonly truths: Record<Area, number>;
  readonly outcomes: Record<Area, number[]>;
}

interface Saved {
  readonly rows: number;
  readonly labels: Readonly<Record<string, Found>>;
}

const MAX_LABELS = 10_000;
/** All found objects are kept and saved with every batch, because the precision depends on their order. */
const MAX_FOUND = 500_000;

/**
 * COCO's mean average precision of boxes, as computed by pycocotools: for each label, found objects are
 * ranked by score over all images; the average precision is the mean over labels that occur in the ground
 * truth and over overlaps of 0.5 to 0.95, or at one overlap. An image without a response counts as one in
 * which nothing was found. A row's scores are those of its image alone.
 */
export const meanAveragePrecision: MetricMaker<DetectionRow> = (_options, json): Metric<DetectionRow> => {
  const saved = json as Saved | undefined;
  let rows = saved?.rows ?? 0;
  const labels = new Map(Object.entries(structuredClone(saved?.labels ?? {})));
  let found = [...labels.values()].reduce((sum, { scores }) => sum + scores.length, 0);
  return {
    add(row) {
      const own = evaluated(row);
      const added = [...own.values()].reduce((sum, { scores }) => sum + scores.length, 0);
      const unknown = [...own.keys()].filter((label) => !labels.has(label)).length;
      if (found + added > MAX_FOUND || labels.size + unknown > MAX_LABELS) throw tooMany();
      rows += 1;
      found += added;
      for (const [label, one] of own) append(labels, label, one);
      return scoresOf(own, row);
    },
    result: () => resultOf(labels, rows),
    save: (): AnyJson =>
      ({ rows, labels: structuredClone(Object.fromEntries(labels)) }) as unknown as AnyJson,
  };
};

const tooMany = (): AppError =>
  new AppError(
    'TooLargeError',
    `There are more than ${MAX_FOUND} found objects or ${MAX_LABELS} different labels. Use fewer images, or a model that finds fewer objects.`,
  );

/** Evaluates each label in an image. */
function evaluated({ prediction, reference }: DetectionRow): ReadonlyMap<string, Found> {
  const found = Map.groupBy(prediction ?? [], ({ label }) => label);
  const truths = Map.groupBy(reference, ({ label }) => label);
  return new Map(
    sortedLabels([...found.keys(), ...truths.keys()]).map((label): [string, Found] => {
      const best = bestFound(found.get(label) ?? []);
      const matches = matchObjects(best, truths.get(label) ?? []);
      const per = <Value>(read: (area: Area) => Value): Record<Area, Value> => ({
        all: read('all'),
        small: read('small'),
        medium: read('medium'),
        large: read('large'),
      });
      return [
        label,
        {
          scores: best.map(({ score }) => score),
          truths: per((area) => matches[area].truths),
          outcomes: per((area) => [...matches[area].outcomes]),
        },
      ];
    }),
  );
}

function append(labels: Map<string, Found>, label: string, added: Found): void {
  const known = labels.get(label);
  if (!known) {
    labels.set(label, structuredClone(added));
    return;
  }
  pushAll(known.scores, added.scores);
  for (const area of AREA_NAMES) {
    known.truths[area] += added.truths[area];
    pushAll(known.outcomes[area], added.outcomes[area]);
  }
}

/** A label's average precision at each overlap; undefined if no true object has a size in the range. */
function precisionsOf({ scores, truths, outcomes }: Found, area: Area): readonly number[] | undefined {
  if (truths[area] === 0) return undefined;
  const order = Array.from(sortedOrder(scores, true), (at) => outcomes[area][at] ?? 0);
  return OVERLAPS.map((_, overlap) =>
    interpolatedPrecision(
      order.map((outcome) => outcomeAt(outcome, overlap)),
      truths[area],
    ),
  );
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Indexes of overlaps that have a value of their own. */
const OVERLAP_50 = 0;
const OVERLAP_75 = 5;

function valuesOf(labels: ReadonlyMap<string, Found>) {
  const precisions = (area: Area): (readonly number[])[] =>
    [...labels.values()].flatMap((found) => {
      const own = precisionsOf(found, area);
      return own ? [own] : [];
    });
  const all = precisions('all');
  const at = (overlap: number): number | string =>
    all.length === 0 ? NO_TRUTH : mean(all.map((own) => own[overlap] ?? 0));
  const over = (own: readonly (readonly number[])[], reason: string): number | string =>
    own.length === 0 ? reason : mean(own.map(mean));
  return {
    map: over(all, NO_TRUTH),
    map_50: at(OVERLAP_50),
    map_75: at(OVERLAP_75),
    map_small: over(precisions('small'), noTruth('at most 32 x 32')),
    map_medium: over(precisions('medium'), noTruth('32 x 32 to 96 x 96')),
    map_large: over(precisions('large'), noTruth('at least 96 x 96')),
  };
}

const NO_TRUTH = 'The ground truth has no objects.';
const noTruth = (size: string): string => `The ground truth has no objects with an area of ${size} pixels.`;

/** The scores of one image; none if nothing can be found in it. */
function scoresOf(own: ReadonlyMap<string, Found>, { reference }: DetectionRow): RowScores {
  if (!reference.some(({ isCrowd }) => !isCrowd)) return {};
  const { map, map_50, map_75 } = metricResult(valuesOf(own)).values;
  return Object.fromEntries(
    Object.entries({ map, map_50, map_75 }).flatMap(([name, value]) =>
      typeof value === 'number' ? [[name, value]] : [],
    ),
  );
}

function resultOf(labels: ReadonlyMap<string, Found>, rows: number): MetricResult {
  const numbers = valuesOf(labels);
  const table = sortedLabels(labels.keys()).flatMap((label) => {
    const found = labels.get(label);
    const own = found && precisionsOf(found, 'all');
    if (!found || !own) return [];
    return [
      {
        label,
        support: found.truths.all,
        map: mean(own),
        map_50: own[OVERLAP_50] ?? 0,
        map_75: own[OVERLAP_75] ?? 0,
      },
    ];
  });
  return metricResult(rows === 0 ? withoutRows(numbers) : numbers, { per_label: table });
}
