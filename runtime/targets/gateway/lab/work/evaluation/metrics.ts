import { inputError } from '../../../../../contract/errors.ts';
import { MISSING_TEXT_METRICS } from '../../metrics/text/names.ts';
import { didYouMean } from '../../../../../core/text/suggest.ts';
import type { Task } from '../tasks/task.ts';
import type { MetricFamily, Need } from './evaluation.ts';

/** Names of all metrics of a task. @internal Exported for tests only. */
export const metricNames = ({ families }: Pick<Task, 'families'>): string[] =>
  [...new Set(families.flatMap(({ metrics }) => Object.keys(metrics)))].sort();

/** What is computed if nothing is asked for: what the task has as its defaults, without what there is nobody for. */
export const defaultMetrics = (task: Task, has: Readonly<Record<Need, boolean>>): string[] =>
  task.defaultMetrics.filter((name) =>
    task.families.every(({ metrics, needs }) => !(name in metrics) || needs.every((need) => has[need])),
  );

/** Throws an InputError for a metric that the task does not have, or that something is missing for. */
export function checkMetrics(
  task: Task,
  names: readonly string[],
  has: Readonly<Record<Need, boolean>>,
): void {
  const known = metricNames(task);
  for (const name of names) {
    if (Object.hasOwn(MISSING_TEXT_METRICS, name)) throw inputError(MISSING_TEXT_METRICS[name] ?? '');
    if (!known.includes(name)) {
      throw inputError(
        `There is no metric ${JSON.stringify(name)} for this task${didYouMean(name, known) || '.'} There are: ${known.join(', ')}.`,
      );
    }
    const need = familiesOf(task, [name])
      .flatMap(({ family }) => family.needs)
      .find((need) => !has[need]);
    if (need) throw inputError(`The metric ${name} needs ${NEEDED[need]}.`);
  }
}

const NEEDED: Readonly<Record<Need, string>> = {
  judge: 'a language model as a judge: name one in llm_as_judge',
  embedder: 'an encoder of type embedding: name one as the embedder',
};

interface ChosenFamily {
  readonly family: MetricFamily;
  /** Whether somebody asked for a value of it. */
  readonly shows: (value: string) => boolean;
}

/** The families that have what is asked for. */
export const familiesOf = ({ families }: Pick<Task, 'families'>, names: readonly string[]): ChosenFamily[] =>
  families.flatMap((family) => {
    const chosen = names.flatMap((name) =>
      Object.hasOwn(family.metrics, name) ? [family.metrics[name]] : [],
    );
    return chosen.length === 0
      ? []
      : [{ family, shows: (value: string) => chosen.some((shows) => shows?.(value) === true) }];
  });
