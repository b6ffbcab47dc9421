/** @import { GatewaySection } from '../sections.js' */
/** @import { Session } from '../session.js' */
import { barChart, columnChart } from '../components/chart.js';
import { empty } from '../components/states.js';
import { scrollable } from '../dom.js';
import { count, money, percent } from '../format.js';
import { keyNames } from '../parts/key-names.js';
import { rangePage } from '../parts/range-page.js';
import { rangeQuery } from '../parts/time-range.js';
import { stackOf } from '../parts/trend-series.js';
import { table } from '../table.js';

const GROUPS = [
  { name: 'model', words: 'Model' },
  { name: 'user', words: 'User' },
  { name: 'key', words: 'Key' },
  { name: 'team', words: 'Team' },
  { name: 'organization', words: 'Organization' },
  { name: 'provider', words: 'Provider' },
];
const MEASURES = [
  { name: 'cost', words: 'Spend', unit: 'USD' },
  { name: 'requests', words: 'Requests', unit: 'requests' },
  { name: 'errors', words: 'Errors', unit: 'errors' },
  { name: 'total_tokens', words: 'Tokens', unit: 'tokens' },
];
const CHOICES = [
  { name: 'group', title: 'Group by', choices: GROUPS },
  { name: 'measure', title: 'Show', choices: MEASURES },
];
/** A chart has six colors, and one is for the others. */
const SERIES = 5;
const ROWS = 50;

/** @type {readonly GatewaySection[]} */
export const SPENDING = [
  {
    path: 'spending',
    name: 'Spend',
    group: 'Usage',
    show: (place) => {
      rangePage(place, CHOICES, (range, chosen, signal) =>
        draw(place.session, { range, group: chosen('group'), measure: chosen('measure') }, signal),
      );
    },
  },
];

/**
 * @param {Session} session
 * @param {{ range: import('../parts/time-range.js').TimeRange, group: string, measure: string }} chosen
 * @param {AbortSignal} signal
 */
async function draw(session, { range, group, measure }, signal) {
  const [{ data }, names] = await Promise.all([
    session.call('v1/usage/spending', {
      query: { ...rangeQuery(range), group_by: group, order_by: measure, top: ROWS, series: SERIES },
      signal,
    }),
    group === 'key' ? keyNames(session, signal) : new Map(),
  ]);
  if (data.totals.requests === 0) return [empty('No requests in this time range.')];
  const { words, unit } = MEASURES.find(({ name }) => name === measure) ??
    MEASURES[0] ?? { words: '', unit: '' };
  const title = (GROUPS.find(({ name }) => name === group) ?? { words: group }).words;
  const nameOf = (/** @type {string | null} */ id) => (id === null ? `No ${group}` : (names.get(id) ?? id));
  const bars = data.groups
    .slice(0, 10)
    .map((/** @type {any} */ one) => ({ name: nameOf(one.group), value: one.totals[measure] }));
  return [
    columnChart({
      title: `${words} by ${title.toLowerCase()}`,
      unit,
      time: true,
      series: stackOf(withFewGroups(data, measure), measure, nameOf),
    }),
    barChart({ title: `Largest by ${words.toLowerCase()}`, unit, bars }),
    scrollable(
      `Totals by ${title.toLowerCase()}`,
      table(
        `Totals by ${title.toLowerCase()}`,
        [title, 'Spend', 'Share', 'Requests', 'Errors', 'Input tokens', 'Output tokens'],
        [
          ...data.groups.map((/** @type {any} */ one) => rowOf(nameOf(one.group), one.totals, data.totals)),
          ...(data.others
            ? [rowOf(`${count(data.others.groups)} others`, data.others.totals, data.totals)]
            : []),
          rowOf('Total', data.totals, data.totals),
        ],
        'data totals',
      ),
    ),
  ];
}

/**
 * The first groups, and all others together.
 * @param {any} data
 * @param {string} measure
 */
function withFewGroups(data, measure) {
  const groups = data.groups.slice(0, SERIES);
  if (groups.length === data.groups.length && data.others === null) return { groups, others: null };
  const shown = new Map();
  for (const { points } of groups)
    for (const point of points) shown.set(point.start, (shown.get(point.start) ?? 0) + point[measure]);
  const points = data.points.map((/** @type {any} */ point) => ({
    start: point.start,
    [measure]: Math.max(0, point[measure] - (shown.get(point.start) ?? 0)),
  }));
  return { groups, others: { points } };
}

/**
 * @param {string} name
 * @param {any} totals
 * @param {any} all
 */
const rowOf = (name, totals, all) => [
  name,
  money(totals.cost),
  percent(all.cost === 0 ? 0 : totals.cost / all.cost),
  count(totals.requests),
  count(totals.errors),
  count(totals.prompt_tokens),
  count(totals.completion_tokens),
];
