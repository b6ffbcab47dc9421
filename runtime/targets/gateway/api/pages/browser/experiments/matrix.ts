import {
  type Comparison,
  type Pair,
  type Workflow,
  intervalText,
  isLowerBetter,
  metricText,
  SIGNIFICANT,
} from './results.ts';
import { badge } from '#serve/http/pages/browser/components/facts.ts';
import { element, scrollable, withShare } from '#serve/http/pages/browser/dom.ts';
import { count } from '#serve/http/pages/browser/format.ts';

/**
 * Models and their metrics, with intervals and bars. The best model for each metric is marked, as are
 * models that do not differ significantly from it.
 */
export function metricMatrix({ workflows, metrics, pairs }: Comparison) {
  const bests = new Map(metrics.map((metric) => [metric, bestOf(workflows, metric)]));
  const head = element(
    'tr',
    {},
    element('th', { scope: 'col' }, 'Model'),
    element('th', { scope: 'col', class: 'numeric' }, 'Answered'),
    ...metrics.map((metric) => element('th', { scope: 'col', class: 'numeric' }, metricTitle(metric))),
  );
  const rows = workflows.map((workflow) =>
    element(
      'tr',
      {},
      element('th', { scope: 'row' }, workflow.name, ...modelLine(workflow)),
      element('td', { class: 'numeric' }, answeredText(workflow)),
      ...metrics.map((metric) => {
        const best = bests.get(metric);
        return cell(workflow, metric, best, verdictOf(pairs, metric, workflow, best));
      }),
    ),
  );
  return scrollable(
    'Metrics by model',
    element(
      'table',
      { class: 'data matrix' },
      element('caption', { class: 'unseen' }, 'Metrics by model'),
      element('thead', {}, head),
      element('tbody', {}, ...rows),
    ),
  );
}

const metricTitle = (metric: string) => (isLowerBetter(metric) ? `${metric} ↓` : metric);

const modelLine = ({ name, model, status }: Workflow) => [
  ...(model === name ? [] : [element('span', { class: 'hint' }, model)]),
  ...(status === 'succeeded' ? [] : [badge(status, status === 'failed' ? 'alarm' : 'plain')]),
];

const answeredText = ({ answered_rows: answered, rows }: Workflow) => `${count(answered)} of ${count(rows)}`;

function bestOf(workflows: readonly Workflow[], metric: string) {
  const known = workflows.flatMap((workflow) => {
    const value = workflow.metrics[metric]?.value;
    return value === undefined ? [] : [{ workflow, value }];
  });
  const sorted = known.toSorted((one, other) =>
    isLowerBetter(metric) ? one.value - other.value : other.value - one.value,
  );
  return sorted[0];
}

/** Whether the model is the best one, significantly worse than the best, or neither. */
export function verdictOf(
  pairs: readonly Pair[],
  metric: string,
  workflow: Workflow,
  best: { workflow: Workflow; value: number } | undefined,
): 'best' | 'close' | 'worse' | undefined {
  const value = workflow.metrics[metric]?.value;
  if (!best || value === undefined) return undefined;
  if (value === best.value) return 'best';
  const pair = pairs.find(
    ({ metric: own, first, second }) =>
      own === metric && [first, second].includes(workflow.id) && [first, second].includes(best.workflow.id),
  );
  if (!pair || pair.adjusted_p_value === null) return undefined;
  return pair.adjusted_p_value < SIGNIFICANT ? 'worse' : 'close';
}

function cell(
  workflow: Workflow,
  metric: string,
  best: { workflow: Workflow; value: number } | undefined,
  verdict: ReturnType<typeof verdictOf>,
) {
  const found = workflow.metrics[metric];
  if (!found) return element('td', { class: 'numeric' }, '–');
  const largest = Math.max(1, Math.abs(best?.value ?? 0), Math.abs(found.value));
  const bar = withShare(
    element('span', { class: 'matrix-bar', 'aria-hidden': 'true' }),
    Math.max(0, found.value) / largest,
  );
  return element(
    'td',
    { class: 'numeric' },
    element('strong', {}, metricText(found.value)),
    bar,
    ...(found.interval ? [element('span', { class: 'hint' }, intervalText(found.interval))] : []),
    ...verdictBadge(verdict),
  );
}

function verdictBadge(verdict: ReturnType<typeof verdictOf>) {
  if (verdict === 'best') return [badge('best', 'good')];
  if (verdict === 'close') return [badge('not proven worse', 'plain')];
  return verdict === 'worse' ? [badge('worse', 'warning')] : [];
}
