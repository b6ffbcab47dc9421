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
      const read = spendingReader(place.session);
      rangePage(place, CHOICES, (range, chosen, signal) =>
        draw(read, { range, group: chosen('group'), measure: chosen('measure') }, signal),
      );
    },
  },
];

/**
 * Reads spending. The last answer is kept, because another measure needs no new one.
 * @param {Session} session
 */
function spendingReader(session) {
  /** @type {{ range: object, group: string, data: any, names: Map<string, string> } | undefined} */
  let known;
  return async (
    /** @type {import('../parts/time-range.js').TimeRange} */ range,
    /** @type {string} */ group,
    /** @type {AbortSignal} */ signal,
  ) => {
    if (known?.range === range && known.group === group) return known;
    const [{ data }, names] = await Promise.all([
      session.call('v1/usage/spending', {
        query: { ...rangeQuery(range), group_by: group, top: ROWS },
        signal,
      }),
      group === 'key' ? keyNames(session, signal) : new Map(),
    ]);
    known = { range, group, data, names };
    return known;
  };
}

/**
 * @param {ReturnType<typeof spendingReader>} read
 * @param {{ range: import('../parts/time-range.js').TimeRange, group: string, measure: string }} chosen
 * @param {AbortSignal} signal
 */
async function draw(read, { range, group, measure }, signal) {
  const { data, names } = await read(range, group, signal);
  if (data.totals.requests === 0) return [empty('No requests in this time range.')];
  const { words, unit } = MEASURES.find(({ name }) => name === measure) ??
    MEASURES[0] ?? { words: '', unit: '' };
  const title = (GROUPS.find(({ name }) => name === group) ?? { words: group }).words;
  const nameOf = (/** @type {string | null} */ id) => (id === null ? `No ${group}` : (names.get(id) ?? id));
  const few = withFewGroups(data, SERIES, measure);
  const bars = data.groups
    .toSorted(
      (/** @type {any} */ one, /** @type {any} */ other) => other.totals[measure] - one.totals[measure],
    )
    .slice(0, 10)
    .map((/** @type {any} */ one) => ({ name: nameOf(one.group), value: one.totals[measure] }));
  return [
    columnChart({
      title: `${words} by ${title.toLowerCase()}`,
      unit,
      time: true,
      series: stackOf(few, measure, nameOf),
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
 * Adds the groups after the first ones to the others.
 * @param {any} data
 * @param {number} most
 * @param {string} measure
 */
function withFewGroups(data, most, measure) {
  const sorted = data.groups.toSorted(
    (/** @type {any} */ one, /** @type {any} */ other) => other.totals[measure] - one.totals[measure],
  );
  const groups = sorted.slice(0, most);
  const shown = new Map();
  for (const { points } of groups)
    for (const point of points) shown.set(point.start, (shown.get(point.start) ?? 0) + point[measure]);
  const points = data.points.map((/** @type {any} */ point) => ({
    start: point.start,
    [measure]: Math.max(0, point[measure] - (shown.get(point.start) ?? 0)),
  }));
  const hasOthers = sorted.length > most || data.others !== null;
  return { groups, others: hasOthers ? { points } : null };
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
