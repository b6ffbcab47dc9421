import type { Json, MetricResult } from './metric.ts';

/** A number, or the reason why the rows do not define it. */
export type NumberOrReason = number | string;

/** Builds a result in which every number is finite, or `null` with a reason. */
export function metricResult(
  numbers: Readonly<Record<string, NumberOrReason>>,
  detail: Json = null,
): MetricResult {
  const values: Record<string, number | null> = {};
  const reasons: Record<string, string> = {};
  for (const [name, value] of Object.entries(numbers)) {
    const isNumber = typeof value === 'number' && Number.isFinite(value);
    values[name] = isNumber ? value : null;
    if (!isNumber) reasons[name] = typeof value === 'string' ? value : NOT_FINITE;
  }
  return { values, reasons, detail };
}

/** Returns the same names, all undefined. */
export const withoutRows = (numbers: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(Object.keys(numbers).map((name) => [name, NO_ROWS]));

const NO_ROWS = 'No row was scored.';
const NOT_FINITE = 'The result is not a finite number.';
