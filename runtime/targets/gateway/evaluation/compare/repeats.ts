import type { WorkflowDetails } from '../workflows/workflow.ts';
import type { ComparedRepeats, ComparedWorkflow, Spread } from './comparison.ts';
import { greatest, least } from '#core/numbers/extremes.ts';

/** The means of repetitions, for the models of which at least two have succeeded. */
export function compareRepeats(
  all: readonly WorkflowDetails[],
  compared: readonly ComparedWorkflow[],
): readonly ComparedRepeats[] {
  const succeeded = all.filter(({ status }) => status === 'succeeded');
  return [...Map.groupBy(succeeded, settingsOf).values()].flatMap((group): readonly ComparedRepeats[] => {
    const [first] = group;
    if (first === undefined || group.length < 2) return [];
    const workflows = compared.filter(({ id }) => group.some((workflow) => workflow.id === id));
    const names = Object.keys(workflows[0]?.metrics ?? {}).filter((name) =>
      workflows.every(({ metrics }) => metrics[name] !== undefined),
    );
    const metrics = names.map((name) => [
      name,
      spreadOf(workflows.map((workflow) => workflow.metrics[name]?.value ?? 0)),
    ]);
    return [
      {
        name: first.name,
        workflowIds: group.map(({ id }) => id),
        metrics: Object.fromEntries(metrics) as ComparedRepeats['metrics'],
      },
    ];
  });
}

/** The settings without the number of the repetition. */
const settingsOf = ({ plan: { model, provider, inference, evaluation } }: WorkflowDetails): string =>
  JSON.stringify([model, provider, { ...inference, repeat: undefined }, evaluation]);

function spreadOf(values: readonly number[]): Spread {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return {
    mean,
    deviation: Math.sqrt(squares / (values.length - 1)),
    min: least(values),
    max: greatest(values),
  };
}
