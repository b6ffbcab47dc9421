/** @import { GatewaySection } from '../sections.js' */
/** @import { Session } from '../session.js' */
import { columnChart, lineChart } from '../components/chart.js';
import { figures } from '../components/facts.js';
import { empty } from '../components/states.js';
import { element } from '../dom.js';
import { count, duration, money, percent } from '../format.js';
import { every } from '../parts/live-part.js';
import { rangePage } from '../parts/range-page.js';
import { rangeQuery } from '../parts/time-range.js';
import { seriesOf, stackOf } from '../parts/trend-series.js';
import { linkTo } from '../route.js';

const REFRESH_MS = 30_000;

/** @type {readonly GatewaySection[]} */
export const OVERVIEW = [
  {
    path: '',
    name: 'Overview',
    group: 'Usage',
    show(place) {
      const part = rangePage(place, [], (range, _chosen, signal) => draw(place.session, range, signal));
      every(place.signal, REFRESH_MS, part.refresh);
    },
  },
];

/**
 * @param {Session} session
 * @param {import('../parts/time-range.js').TimeRange} range
 * @param {AbortSignal} signal
 */
async function draw(session, range, signal) {
  const query = rangeQuery(range);
  const [{ data: spending }, { data: latency }, { data: live }] = await Promise.all([
    session.call('v1/usage/spending', { query: { ...query, top: 5 }, signal }),
    session.call('v1/usage/latency', { query: { ...query, top: 5 }, signal }),
    session.call('v1/requests/live', { signal }),
  ]);
  const { totals, points } = spending;
  const shown = figures([
    { name: 'Spend', value: money(totals.cost), note: range.words.toLowerCase() },
    {
      name: 'Requests',
      value: count(totals.requests),
      note: element('a', { href: linkTo(['requests']) }, `${count(live.length)} in flight`),
    },
    {
      name: 'Errors',
      value: percent(totals.requests === 0 ? 0 : totals.errors / totals.requests),
      note: element(
        'a',
        { href: linkTo(['requests'], { status: 'error' }) },
        `${count(totals.errors)} failed`,
      ),
      ...(totals.errors / Math.max(1, totals.requests) > 0.05
        ? { kind: /** @type {const} */ ('alarm') }
        : {}),
    },
    { name: 'Tokens', value: count(totals.total_tokens), note: `${count(totals.completion_tokens)} output` },
    {
      name: 'Latency',
      value: duration(latency.all?.latency_ms.p50),
      note: `95% within ${duration(latency.all?.latency_ms.p95)}`,
    },
  ]);
  if (totals.requests === 0) {
    return [
      shown,
      empty('No requests in this time range.', {
        name: 'Send one in the playground',
        href: linkTo(['playground']),
      }),
    ];
  }
  return [
    shown,
    columnChart({ title: 'Spend by model', unit: 'USD', time: true, series: stackOf(spending, 'cost') }),
    element(
      'div',
      { class: 'columns' },
      columnChart({
        title: 'Requests',
        unit: 'requests',
        time: true,
        series: [
          { name: 'Successful', points: points.map(pointOf(({ requests, errors }) => requests - errors)) },
          { name: 'Failed', points: points.map(pointOf(({ errors }) => errors)) },
        ],
      }),
      lineChart({
        title: 'Latency',
        unit: 'ms',
        time: true,
        series: [
          { name: 'Median', points: seriesOf(latency.points, (point) => point.latency_ms.p50) },
          { name: '95th percentile', points: seriesOf(latency.points, (point) => point.latency_ms.p95) },
        ],
      }),
    ),
  ];
}

/** @param {(point: any) => number} valueOf */
const pointOf = (valueOf) => (/** @type {any} */ point) =>
  /** @type {const} */ ([Date.parse(point.start), valueOf(point)]);
