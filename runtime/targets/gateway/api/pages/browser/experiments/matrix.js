/** @import { Comparison, Pair, Workflow } from './results.js' */
import { badge } from '../components/facts.js';
import { element, scrollable, withShare } from '../dom.js';
import { count } from '../format.js';
import { intervalText, isLowerBetter, metricText, SIGNIFICANT } from './metric-names.js';

/**
 * Models and their metrics, with intervals and bars. The best model of each metric is marked, and so are models whose difference to it can
 * be chance.
 * @param {Comparison} comparison
 */
export function metricMatrix({ workflows, metrics, pairs }) {
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
    'Metrics of the models',
    element(
      'table',
      { class: 'data matrix' },
      element('caption', { class: 'unseen' }, 'Metrics of the models'),
      element('thead', {}, head),
      element('tbody', {}, ...rows),
    ),
  );
}

/** @param {string} metric */
const metricTitle = (metric) => (isLowerBetter(metric) ? `${metric} ↓` : metric);

/** @param {Workflow} workflow */
const modelLine = ({ name, model, status }) => [
  ...(model === name ? [] : [element('span', { class: 'hint' }, model)]),
  ...(status === 'succeeded' ? [] : [badge(status, status === 'failed' ? 'alarm' : 'plain')]),
];

/** @param {Workflow} workflow */
const answeredText = ({ answered_rows: answered, rows }) => `${count(answered)} of ${count(rows)}`;

/**
 * @param {readonly Workflow[]} workflows
 * @param {string} metric
 */
export function bestOf(workflows, metric) {
  const known = workflows.flatMap((workflow) => {
    const value = workflow.metrics[metric]?.value;
    return value === undefined ? [] : [{ workflow, value }];
  });
  const sorted = known.toSorted((one, other) =>
    isLowerBetter(metric) ? one.value - other.value : other.value - one.value,
  );
  return sorted[0];
}

/**
 * Whether the model is the best one, worse than it by more than chance, or neither.
 * @param {readonly Pair[]} pairs
 * @param {string} metric
 * @param {Workflow} workflow
 * @param {{ workflow: Workflow, value: number } | undefined} best
 * @returns {'best' | 'close' | 'worse' | undefined}
 */
export function verdictOf(pairs, metric, workflow, best) {
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

/**
 * @param {Workflow} workflow
 * @param {string} metric
 * @param {{ workflow: Workflow, value: number } | undefined} best
 * @param {ReturnType<typeof verdictOf>} verdict
 */
function cell(workflow, metric, best, verdict) {
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

/** @param {ReturnType<typeof verdictOf>} verdict */
function verdictBadge(verdict) {
  if (verdict === 'best') return [badge('best', 'good')];
  if (verdict === 'close') return [badge('not proven worse', 'plain')];
  return verdict === 'worse' ? [badge('worse', 'warning')] : [];
}
