import { memberOf } from '#core/values/member-of.ts';
import { areaUnderRoc, averagePrecision, type RankedScore } from '../metrics/classification/ranking.ts';
import { sortedLabels } from '../metrics/averages.ts';
import { chosenMetric, metricsOfRows } from '../rows/find-rows.ts';
import type { IndexedModel, RowIndex } from '../rows/row-index.ts';
import { cellLabels } from '../work/evaluation/read-cells.ts';
import type { WorkflowDetails } from '../workflows/workflow.ts';
import { calibrationCurve, type CalibrationPoint } from './calibration-curve.ts';
import { type Bin, histogramOf } from './histogram.ts';
import { type LengthGroup, lengthGroups } from './length-groups.ts';
import { type CurvePoint, thinned, thresholdCurves } from './threshold-curves.ts';

interface LabelCurves {
  readonly rows: number;
  readonly rocAuc: number | null;
  readonly averagePrecision: number | null;
  readonly roc: readonly CurvePoint[];
  readonly precisionRecall: readonly CurvePoint[];
  readonly calibration: readonly CalibrationPoint[];
}

export interface WorkflowPlots {
  readonly id: string;
  readonly name: string;
  readonly confusion: {
    readonly labels: readonly string[];
    readonly matrix: readonly (readonly number[])[];
  } | null;
  /** Curves for the selected label against all others; null for models without label scores. */
  readonly curves: LabelCurves | null;
  /** Scores of the selected metric. */
  readonly scores: readonly Bin[];
  /** Latency in milliseconds, up to the 99th percentile across all models. */
  readonly latency: readonly Bin[];
  /** Empty for images. */
  readonly lengths: readonly LengthGroup[];
}

export interface Plots {
  readonly metrics: readonly string[];
  readonly metric: string | null;
  /** Labels that have curves. */
  readonly labels: readonly string[];
  readonly label: string | null;
  readonly workflows: readonly WorkflowPlots[];
}

const BINS = 20;
/** More points would not be visible. */
const MAX_POINTS = 200;

/** Data for an experiment's plots. */
export function plotsOf(
  index: RowIndex,
  workflows: readonly WorkflowDetails[],
  wanted: { readonly metric: string | undefined; readonly label: string | undefined },
): Plots {
  const metric = chosenMetric(index, wanted.metric);
  const labels = sortedLabels(index.models.flatMap(({ labelScores }) => [...labelScores.keys()]));
  // Of two labels, e.g. NEGATIVE and POSITIVE, the last one counts as the positive class.
  const label = wanted.label ?? (labels.length === 2 ? labels[1] : labels[0]);
  const columns = index.models.map(({ scores }) => scores.get(metric ?? '') ?? new Float64Array());
  const range = rangeOf(columns);
  const slowest = quantile(
    index.models.map(({ latency }) => latency),
    0.99,
  );
  const lengths = index.examples.map(({ length }) => length);
  const truths = labelsOf(index.truths);
  return {
    metrics: metricsOfRows(index),
    metric: metric ?? null,
    labels,
    label: label ?? null,
    workflows: index.models.map((model, at) => ({
      id: model.id,
      name: model.name,
      confusion: confusionOf(workflows[at]),
      curves: label === undefined ? null : curvesOf(model, label, truths),
      scores: range ? histogramOf(columns[at] ?? [], { ...range, bins: BINS }) : [],
      latency: slowest > 0 ? histogramOf(model.latency, { from: 0, to: slowest, bins: BINS }) : [],
      lengths: index.readsImages ? [] : lengthGroups(lengths, columns[at] ?? new Float64Array()),
    })),
  };
}

/** Each row's labels; undefined without any. Most rows share a few labels, which are parsed once. */
function labelsOf(truths: RowIndex['truths']): (readonly string[] | undefined)[] {
  const known = new Map<RowIndex['truths'][number], readonly string[] | undefined>();
  return truths.map((truth) => {
    if (known.has(truth)) return known.get(truth);
    const labels = labelsIn(truth);
    if (typeof truth === 'string') known.set(truth, labels);
    return labels;
  });
}

function labelsIn(truth: RowIndex['truths'][number]): readonly string[] | undefined {
  if (truth === null || truth === '') return undefined;
  try {
    return [cellLabels(truth)].flat();
  } catch {
    return undefined;
  }
}

function curvesOf(
  { labelScores }: IndexedModel,
  label: string,
  truths: readonly (readonly string[] | undefined)[],
): LabelCurves | null {
  const scores = labelScores.get(label);
  if (!scores) return null;
  const ranked: RankedScore[] = [];
  for (const [at, score] of scores.entries()) {
    const truth = truths[at];
    if (truth && !Number.isNaN(score)) ranked.push({ score, isTrue: truth.includes(label) });
  }
  const curves = thresholdCurves(ranked);
  return {
    rows: ranked.length,
    rocAuc: areaUnderRoc(ranked) ?? null,
    averagePrecision: averagePrecision(ranked) ?? null,
    roc: thinned(curves?.roc ?? [], MAX_POINTS),
    precisionRecall: thinned(curves?.precisionRecall ?? [], MAX_POINTS),
    calibration: calibrationCurve(ranked),
  };
}

/** The confusion matrix from the evaluation. Rows are true labels and columns are predicted labels. */
function confusionOf(workflow: WorkflowDetails | undefined): WorkflowPlots['confusion'] {
  const result = workflow?.jobs.find(({ spec }) => spec.type === 'evaluation')?.result;
  const counted = memberOf(result?.details, 'classification');
  const [labels, matrix] = [memberOf(counted, 'labels'), memberOf(counted, 'confusion_matrix')];
  return Array.isArray(labels) && Array.isArray(matrix)
    ? { labels: labels as string[], matrix: matrix as number[][] }
    : null;
}

function rangeOf(columns: readonly Float64Array[]): { from: number; to: number } | undefined {
  let [from, to] = [Infinity, -Infinity];
  for (const column of columns) {
    for (const value of column) {
      if (value < from) from = value;
      if (value > to) to = value;
    }
  }
  if (to === -Infinity) return undefined;
  // Most scores are between 0 and 1; their plots are easier to compare on the same axis.
  return from >= 0 && to <= 1 ? { from: 0, to: 1 } : { from, to: to === from ? from + 1 : to };
}

function quantile(columns: readonly Float64Array[], share: number): number {
  const known = columns.map((column) => column.filter((value) => !Number.isNaN(value)));
  const sorted = new Float64Array(known.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const column of known) {
    sorted.set(column, end);
    end += column.length;
  }
  sorted.sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
