import type { Static } from 'typebox';
import type { spending } from '#gateway/api/trends-schemas.ts';
import type { GatewaySection } from '../parts/section.ts';
import type { Session } from '#serve/http/pages/browser/session.ts';
import { barChart, columnChart } from '#serve/http/pages/browser/components/chart.ts';
import { empty } from '#serve/http/pages/browser/components/states.ts';
import { scrollable } from '#serve/http/pages/browser/dom.ts';
import { count, money, percent } from '#serve/http/pages/browser/format.ts';
import { keyNames } from '../parts/lists.ts';
import { rangePage, type TimeRange, rangeQuery, ZONE_CHOICE } from '../parts/time-range.ts';
import { stackOf } from '../parts/trend-series.ts';
import { table } from '#serve/http/pages/browser/components/facts.ts';

type Spending = Static<typeof spending>;
type Totals = Spending['totals'];

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
] as const;
type Measure = (typeof MEASURES)[number];
const measureOf = (word: string): Measure => MEASURES.find(({ name }) => name === word) ?? MEASURES[0];
const CHOICES = [
  { name: 'group', title: 'Group by', choices: GROUPS },
  { name: 'measure', title: 'Show', choices: MEASURES },
  ZONE_CHOICE,
];
/**
 * Maximum number of groups in a chart. A chart has six colors, one of which is used for all other groups.
 */
const SERIES = 5;
const ROWS = 50;

export const SPENDING: readonly GatewaySection[] = [
  {
    path: 'spending',
    name: 'Spend',
    group: 'Usage',
    show: (place) => {
      rangePage(place, CHOICES, (range, chosen, signal) =>
        draw(
          place.session,
          {
            range,
            group: chosen('group'),
            measure: measureOf(chosen('measure')),
            timeZone: chosen('time_zone'),
          },
          signal,
        ),
      );
    },
  },
];

async function draw(
  session: Session,
  {
    range,
    group,
    measure,
    timeZone,
  }: { range: TimeRange; group: string; measure: Measure; timeZone: string },
  signal: AbortSignal,
) {
  const [{ data }, names] = await Promise.all([
    session.call<Spending>('v1/usage/spending', {
      query: {
        ...rangeQuery(range),
        time_zone: timeZone,
        group_by: group,
        order_by: measure.name,
        top: ROWS,
        series: SERIES,
      },
      signal,
    }),
    group === 'key' ? keyNames(session, signal) : new Map<string, string>(),
  ]);
  if (data.totals.requests === 0) return [empty('No requests in this time range.')];
  const { name: member, words, unit } = measure;
  const title = (GROUPS.find(({ name }) => name === group) ?? { words: group }).words;
  const nameOf = (id: string | null) => (id === null ? `No ${group}` : (names.get(id) ?? id));
  const bars = data.groups
    .slice(0, 10)
    .map((one) => ({ name: nameOf(one.group), value: one.totals[member] }));
  return [
    columnChart({
      title: `${words} by ${title.toLowerCase()}`,
      unit,
      time: timeZone,
      series: stackOf(withFewGroups(data, member), member, nameOf),
    }),
    barChart({ title: `Largest by ${words.toLowerCase()}`, unit, bars }),
    scrollable(
      `Totals by ${title.toLowerCase()}`,
      table(
        `Totals by ${title.toLowerCase()}`,
        [
          title,
          'Spend',
          'Share',
          'Requests',
          'Errors',
          'Input tokens',
          'Output tokens',
          'Read from cache',
          'Written to cache',
          'Saved by cache',
        ],
        [
          ...data.groups.map((one) => rowOf(nameOf(one.group), one.totals, data.totals)),
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

/** The first groups, and all others combined. */
function withFewGroups(data: Spending, measure: Measure['name']) {
  const groups = data.groups.slice(0, SERIES);
  if (groups.length === data.groups.length && data.others === null) return { groups, others: null };
  const shown = new Map<string, number>();
  for (const { points } of groups)
    for (const point of points) shown.set(point.start, (shown.get(point.start) ?? 0) + point[measure]);
  const points = data.points.map((point) => ({
    ...point,
    [measure]: Math.max(0, point[measure] - (shown.get(point.start) ?? 0)),
  }));
  return { groups, others: { points } };
}

const rowOf = (name: string, totals: Totals, all: Totals) => [
  name,
  money(totals.cost),
  percent(all.cost === 0 ? 0 : totals.cost / all.cost),
  count(totals.requests),
  count(totals.errors),
  count(totals.prompt_tokens),
  count(totals.completion_tokens),
  count(totals.cached_tokens),
  count(totals.cache_write_tokens),
  money(totals.cache_saved),
];
