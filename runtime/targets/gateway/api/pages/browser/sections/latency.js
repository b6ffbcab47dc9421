/** @import { GatewaySection } from '../sections.js' */
/** @import { Session } from '../session.js' */
import { lineChart } from '../components/chart.js';
import { empty } from '../components/states.js';
import { element, scrollable } from '../dom.js';
import { count, duration, short } from '../format.js';
import { rangePage } from '../parts/range-page.js';
import { rangeQuery } from '../parts/time-range.js';
import { seriesOf } from '../parts/trend-series.js';
import { table } from '../table.js';

const GROUP_BY = {
  name: 'group',
  title: 'Group by',
  choices: [
    { name: 'model', words: 'Model' },
    { name: 'provider', words: 'Provider' },
  ],
};
const PERCENTILES = /** @type {const} */ (['p50', 'p90', 'p95', 'p99']);

/** @type {readonly GatewaySection[]} */
export const LATENCY = [
  {
    path: 'latency',
    name: 'Latency',
    group: 'Usage',
    show: (place) => {
      rangePage(place, [GROUP_BY], (range, chosen, signal) =>
        draw(place.session, { range, group: chosen('group') }, signal),
      );
    },
  },
];

/**
 * @param {Session} session
 * @param {{ range: import('../parts/time-range.js').TimeRange, group: string }} chosen
 * @param {AbortSignal} signal
 */
async function draw(session, { range, group }, signal) {
  const query = { ...rangeQuery(range), group_by: group, top: 50 };
  const { data } = await session.call('v1/usage/latency', { query, signal });
  if (data.all.answers === 0) return [empty('No answers in this time range.')];
  const line = (/** @type {string} */ member, /** @type {string} */ title, /** @type {string} */ unit) =>
    lineChart({
      title,
      unit,
      time: true,
      series: PERCENTILES.map((name) => ({
        name,
        points: seriesOf(data.points, (point) => point[member][name]),
      })),
    });
  return [
    element(
      'p',
      { class: 'hint' },
      'Successful answers of models, without those from the cache. Percentiles are exact to 5%.',
    ),
    line('latency_ms', 'Duration of requests', 'ms'),
    element(
      'div',
      { class: 'columns' },
      line('ttft_ms', 'Time to the first output of streams', 'ms'),
      line('tokens_per_second', 'Output tokens per second; 99% of the answers reach p99', 'tokens/s'),
    ),
    percentileTable('Duration', data, (one) => one.latency_ms, duration),
    percentileTable('Time to first output', data, (one) => one.ttft_ms, duration),
    percentileTable('Output tokens per second', data, (one) => one.tokens_per_second, short),
  ];
}

/**
 * @param {string} title
 * @param {any} data
 * @param {(one: any) => any} valuesOf
 * @param {(value: number | null) => string} text
 */
function percentileTable(title, data, valuesOf, text) {
  const rowOf = (/** @type {string} */ name, /** @type {any} */ one) => [
    name,
    count(one.answers),
    ...PERCENTILES.map((percentile) => text(valuesOf(one)[percentile])),
  ];
  return element(
    'section',
    {},
    element('h2', {}, title),
    scrollable(
      title,
      table(
        title,
        ['Name', 'Answers', ...PERCENTILES],
        [
          ...data.groups.map((/** @type {any} */ one) => rowOf(one.group ?? 'None', one)),
          rowOf('All', data.all),
        ],
        'data totals',
      ),
    ),
  );
}
