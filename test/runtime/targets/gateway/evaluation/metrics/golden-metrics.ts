import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AnyJson, MetricMaker, MetricResult, RowScores } from '#gateway/evaluation/metrics/metric.ts';
import { FIXTURES } from '#test/helpers/paths.ts';

/** The result of a reference tool; null means NaN or a rejection. */
export type GoldenValues = Readonly<Record<string, number | null>>;

/** The output of fixtures/scripts/make_metrics.py for one kind of metrics. */
export const readGolden = (kind: string): unknown =>
  JSON.parse(readFileSync(join(FIXTURES, 'golden', `metrics-${kind}.json`), 'utf8'));

/** Feeds rows to a metric, and resumes it halfway from its saved JSON. */
export function scoreRows<Row, Options>(
  make: MetricMaker<Row, Options>,
  options: Options,
  rows: readonly Row[],
): { result: MetricResult; scores: RowScores[]; saved: AnyJson } {
  const half = Math.floor(rows.length / 2);
  const before = make(options);
  const scores = rows.slice(0, half).map(before.add);
  const after = make(options, JSON.parse(JSON.stringify(before.save())) as AnyJson);
  scores.push(...rows.slice(half).map(after.add));
  return { result: after.result(), scores, saved: after.save() };
}

/** Differences from the expected names and from their numbers within 1e-6, and missing reasons for missing numbers. */
export function wrongValues(
  { values, reasons }: MetricResult,
  golden: GoldenValues,
  about: string,
): string[] {
  const missing = Object.keys(golden).filter((name) => golden[name] === null);
  return [
    ...wrongNames(Object.keys(values), Object.keys(golden), about),
    ...wrongNames(Object.keys(reasons), missing, `${about} reasons`),
    ...Object.entries(golden).flatMap(([name, expected]) =>
      wrongNumber(values[name], expected, `${about} ${name}`),
    ),
  ];
}

type MaybeNumber = number | null | undefined;

export function wrongNumber(value: MaybeNumber, expected: MaybeNumber, about: string): string[] {
  const isNear =
    typeof value === 'number' && typeof expected === 'number'
      ? Math.abs(value - expected) < 1e-6
      : value === expected;
  return isNear ? [] : [`${about}: ${value}, not ${expected}`];
}

function wrongNames(names: readonly string[], expected: readonly string[], about: string): string[] {
  const [one, other] = [names, expected].map((list) => list.toSorted().join(', '));
  return one === other ? [] : [`${about}: ${one}, not ${other}`];
}

/** With a tolerance for rounding errors. */
export const within =
  (low: number, high: number) =>
  (value: number | null): boolean =>
    value !== null && value >= low - 1e-12 && value <= high + 1e-12;
