import type { Comparison, Workflow } from './results.ts';
import { scatterChart } from '#serve/http/pages/browser/components/chart.ts';

/** Latency and cost of the models, plotted against a metric. */
export function tradeOffs({ workflows }: Comparison, metric: string) {
  return [
    chartOf(workflows, metric, 'Latency (median)', 'ms', ({ latency_ms: latency }) => latency?.p50),
    chartOf(workflows, metric, 'Cost of 1,000 rows', 'USD', ({ cost_per_row: cost }) =>
      cost === null ? undefined : cost * 1000,
    ),
  ].flat();
}

function chartOf(
  workflows: readonly Workflow[],
  metric: string,
  title: string,
  unit: string,
  amountOf: (workflow: Workflow) => number | undefined,
) {
  const points = workflows.flatMap((workflow) => {
    const [x, y] = [amountOf(workflow), workflow.metrics[metric]?.value];
    return x === undefined || y === undefined ? [] : [{ name: workflow.name, x, y }];
  });
  if (points.length === 0) return [];
  return [
    scatterChart({ title: `${title} against ${metric}`, x: { title, unit }, y: { title: metric }, points }),
  ];
}
