import { inputError } from '#contract/errors.ts';
import { MISSING_TEXT_METRICS } from '../../metrics/text/text-row.ts';
import { didYouMean } from '#core/text/suggest.ts';
import type { EvaluatedTask } from '../tasks/task.ts';
import type { MetricFamily, Need } from './evaluation.ts';

/** Names of all of a task's metrics. */
export const metricNames = ({ families }: Pick<EvaluatedTask, 'families'>): string[] =>
  [...new Set(families.flatMap(({ metrics }) => Object.keys(metrics)))].sort();

/** A task's default metrics, excluding those that need a missing judge or embedder. */
export const defaultMetrics = (task: EvaluatedTask, has: Readonly<Record<Need, boolean>>): string[] =>
  task.defaultMetrics.filter((name) =>
    task.families.every(({ metrics, needs }) => !(name in metrics) || needs.every((need) => has[need])),
  );

/** Throws an InputError for a metric that the task does not have, or whose judge or embedder is missing. */
export function checkMetrics(
  task: EvaluatedTask,
  names: readonly string[],
  has: Readonly<Record<Need, boolean>>,
): void {
  const known = metricNames(task);
  for (const name of names) {
    if (Object.hasOwn(MISSING_TEXT_METRICS, name)) throw inputError(MISSING_TEXT_METRICS[name] ?? '');
    if (!known.includes(name)) {
      throw inputError(
        `Unknown metric ${JSON.stringify(name)} for this task${didYouMean(name, known) || '.'} Available metrics: ${known.join(', ')}.`,
      );
    }
    const need = familiesOf(task, [name])
      .flatMap(({ family }) => family.needs)
      .find((need) => !has[need]);
    if (need) throw inputError(`Metric ${name} requires ${REQUIREMENTS[need]}.`);
  }
}

const REQUIREMENTS: Readonly<Record<Need, string>> = {
  judge: 'a language model as judge. Set llm_as_judge',
  embedder: 'an encoder of type embedding. Set embedder',
};

export interface ChosenFamily {
  readonly family: MetricFamily;
  /** Whether any of the family's values was requested. */
  readonly shows: (value: string) => boolean;
}

/** The families of the requested metrics. */
export const familiesOf = (
  { families }: Pick<EvaluatedTask, 'families'>,
  names: readonly string[],
): ChosenFamily[] =>
  families.flatMap((family) => {
    const chosen = names.flatMap((name) =>
      Object.hasOwn(family.metrics, name) ? [family.metrics[name]] : [],
    );
    return chosen.length === 0
      ? []
      : [{ family, shows: (value: string) => chosen.some((shows) => shows?.(value) === true) }];
  });
