/** @import { Comparison, Workflow } from './results.js' */
import { scatterChart } from '../components/chart.js';

/**
 * Latency and cost of the models against a metric.
 * @param {Comparison} comparison
 * @param {string} metric
 */
export function tradeOffs({ workflows }, metric) {
  return [
    chartOf(workflows, metric, 'Latency (median)', 'ms', ({ latency_ms: latency }) => latency?.p50),
    chartOf(workflows, metric, 'Cost of 1,000 rows', 'USD', ({ cost_per_row: cost }) =>
      cost === null ? undefined : cost * 1000,
    ),
  ].flat();
}

/**
 * @param {readonly Workflow[]} workflows
 * @param {string} metric
 * @param {string} title
 * @param {string} unit
 * @param {(workflow: Workflow) => number | undefined} amountOf
 */
function chartOf(workflows, metric, title, unit, amountOf) {
  const points = workflows.flatMap((workflow) => {
    const [x, y] = [amountOf(workflow), workflow.metrics[metric]?.value];
    return x === undefined || y === undefined ? [] : [{ name: workflow.name, x, y }];
  });
  if (points.length === 0) return [];
  return [
    scatterChart({ title: `${title} against ${metric}`, x: { title, unit }, y: { title: metric }, points }),
  ];
}
