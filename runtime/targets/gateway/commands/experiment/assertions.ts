import { lookup } from '#core/values/lookup.ts';
import { configError } from '#contract/errors.ts';

/** A condition on one of each model's numbers, as in an experiment file. */
export interface Assertion {
  /** A metric, or one of `NUMBERS`. */
  readonly metric: string;
  /** Model name. Default: all models. */
  readonly model?: string | undefined;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  /** By how much the number can be below the baseline. */
  readonly max_drop?: number | undefined;
  /** By how much the number can be above the baseline. */
  readonly max_rise?: number | undefined;
}

/** A model in the API's comparison. */
export interface ComparedModel {
  readonly name: string;
  readonly status: string;
  readonly error: string | null;
  readonly rows: number;
  readonly answered_rows: number;
  readonly cost: number | null;
  readonly cost_per_row: number | null;
  readonly tokens_per_row: number | null;
  readonly rows_per_second: number | null;
  readonly latency_ms: { readonly mean: number; readonly p50: number; readonly p95: number } | null;
  readonly metrics: Readonly<Record<string, { readonly value: number }>>;
}

export interface CheckedAssertion {
  readonly model: string;
  /** For example `accuracy >= 0.9`. */
  readonly condition: string;
  /** Why the assertion fails; undefined if it holds. */
  readonly problem: string | undefined;
}

/** A model's numbers besides its metrics. */
export const NUMBERS = lookup<(model: ComparedModel) => number | null | undefined>({
  answered_share: ({ answered_rows: answered, rows }) => (rows === 0 ? null : answered / rows),
  cost: ({ cost }) => cost,
  cost_per_row: (model) => model.cost_per_row,
  tokens_per_row: (model) => model.tokens_per_row,
  rows_per_second: (model) => model.rows_per_second,
  mean_latency_ms: (model) => model.latency_ms?.mean,
  p50_latency_ms: (model) => model.latency_ms?.p50,
  p95_latency_ms: (model) => model.latency_ms?.p95,
});

/** The value of a metric or of one of the other numbers; undefined if the model does not have it. */
export const numberOf = (model: ComparedModel, metric: string): number | undefined =>
  (Object.hasOwn(NUMBERS, metric) ? NUMBERS[metric]?.(model) : model.metrics[metric]?.value) ?? undefined;

/** Throws a ConfigError for an assertion that can never be checked. */
export function validateAssertions(
  assertions: readonly Assertion[],
  models: readonly string[],
  hasBaseline: boolean,
): void {
  for (const { metric, model, ...limits } of assertions) {
    const name = `The assertion for ${JSON.stringify(metric)}`;
    if (model !== undefined && !models.includes(model)) {
      throw configError(
        `${name} is for the model ${JSON.stringify(model)}, which is not in the file. Models: ${models.join(', ')}.`,
      );
    }
    if (Object.values(limits).every((limit) => limit === undefined))
      throw configError(`${name} has no limit. Add min, max, max_drop or max_rise.`);
    if (!hasBaseline && (limits.max_drop !== undefined || limits.max_rise !== undefined))
      throw configError(
        `${name} compares with a baseline. Set --baseline to an experiment ID, or to a file with a comparison.`,
      );
  }
}

/** Checks all assertions for the models that they apply to. `baseline` contains the models of an earlier experiment. */
export const checkAssertions = (
  assertions: readonly Assertion[],
  models: readonly ComparedModel[],
  baseline: readonly ComparedModel[],
): readonly CheckedAssertion[] =>
  models.flatMap((model) =>
    assertions
      .filter((assertion) => assertion.model === undefined || assertion.model === model.name)
      .flatMap((assertion) => checksOf(assertion, model, baseline)),
  );

function checksOf(
  { metric, min, max, max_drop: drop, max_rise: rise }: Assertion,
  model: ComparedModel,
  baseline: readonly ComparedModel[],
): readonly CheckedAssertion[] {
  const value = numberOf(model, metric);
  const before = baseline.find(({ name }) => name === model.name);
  const earlier = before && numberOf(before, metric);
  const check = (condition: string, holds: (value: number) => boolean, limit: string): CheckedAssertion => {
    const problem =
      value === undefined
        ? noValue(model, metric)
        : holds(value)
          ? undefined
          : `${metric} is ${shown(value)}; ${limit}.`;
    return { model: model.name, condition: `${metric} ${condition}`, problem };
  };
  const compare = (condition: string, holds: (value: number, earlier: number) => boolean, limit: string) =>
    earlier === undefined
      ? {
          model: model.name,
          condition: `${metric} ${condition}`,
          problem: `The baseline has no ${metric} for ${model.name}.`,
        }
      : check(
          condition,
          (now) => holds(now, earlier),
          `it was ${shown(earlier)} in the baseline, and ${limit}`,
        );
  return [
    ...(min === undefined ? [] : [check(`>= ${min}`, (now) => now >= min, `the minimum is ${min}`)]),
    ...(max === undefined ? [] : [check(`<= ${max}`, (now) => now <= max, `the maximum is ${max}`)]),
    ...(drop === undefined
      ? []
      : [compare(`>= baseline - ${drop}`, (now, then) => now >= then - drop, `it can drop by ${drop}`)]),
    ...(rise === undefined
      ? []
      : [compare(`<= baseline + ${rise}`, (now, then) => now <= then + rise, `it can rise by ${rise}`)]),
  ];
}

function noValue({ name, status, error, metrics }: ComparedModel, metric: string): string {
  if (status !== 'succeeded')
    return `${name} has no ${metric}, because it ${status}: ${error ?? 'unknown error'}`;
  return `${name} has no ${metric}. It has ${[...Object.keys(metrics), ...Object.keys(NUMBERS)].join(', ')}.`;
}

/** Formats a number with up to 6 significant digits. */
const shown = (value: number): string => String(Number(value.toPrecision(6)));
