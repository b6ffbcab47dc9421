import { inputError } from '#contract/errors.ts';
import type { MetricMaker, RowScores } from '../../metric.ts';
import { meanMetric } from '../mean-metric.ts';
import type { JudgeDefinition } from './definitions.ts';
import type { Verdict } from './verdict.ts';

/** Verdicts by the names of the definition's criteria. */
type JudgedRow = Readonly<Record<string, Verdict>>;

/** Name of the value of a criterion. */
export const judgeValue = (metric: string, criterion: string): string => `${metric}_${criterion}_mean`;

/** Judge metric over rows with verdicts, which the caller gets from a judge model, one criterion at a time. */
export const judge: MetricMaker<JudgedRow, { readonly definition: JudgeDefinition }> = (
  { definition: { name, criteria } },
  saved,
) => {
  const valueOf = (criterion: string) => judgeValue(name, criterion);
  const scoreRow = (row: JudgedRow): RowScores =>
    Object.fromEntries(
      criteria.map((criterion) => {
        const verdict = Object.hasOwn(row, criterion.name) ? row[criterion.name] : undefined;
        if (verdict === undefined)
          throw inputError(
            `The row has no verdict for "${criterion.name}". ${name} requires a verdict for each criterion.`,
          );
        return [valueOf(criterion.name), verdict.score];
      }),
    );
  return meanMetric(
    criteria.map((criterion) => valueOf(criterion.name)),
    scoreRow,
    saved,
  );
};
