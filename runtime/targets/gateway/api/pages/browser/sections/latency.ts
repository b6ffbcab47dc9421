import type { Static } from 'typebox';
import type { latency } from '#gateway/api/trends-schemas.ts';
import type { GatewaySection } from '../parts/section.ts';
import type { Session } from '#serve/http/pages/browser/session.ts';
import { lineChart } from '#serve/http/pages/browser/components/chart.ts';
import { empty } from '#serve/http/pages/browser/components/states.ts';
import { element, scrollable } from '#serve/http/pages/browser/dom.ts';
import { count, duration, short } from '#serve/http/pages/browser/format.ts';
import { rangePage, type TimeRange, rangeQuery } from '../parts/time-range.ts';
import { seriesOf } from '../parts/trend-series.ts';
import { table } from '#serve/http/pages/browser/components/facts.ts';

type Latency = Static<typeof latency>;
type Speeds = Latency['all'];
type Speed = Exclude<keyof Speeds, 'answers'>;

const GROUP_BY = {
  name: 'group',
  title: 'Group by',
  choices: [
    { name: 'model', words: 'Model' },
    { name: 'provider', words: 'Provider' },
  ],
};
const PERCENTILES = ['p50', 'p90', 'p95', 'p99'] as const;

export const LATENCY: readonly GatewaySection[] = [
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

async function draw(
  session: Session,
  { range, group }: { range: TimeRange; group: string },
  signal: AbortSignal,
) {
  const query = { ...rangeQuery(range), group_by: group, top: 50 };
  const { data } = await session.call<Latency>('v1/usage/latency', { query, signal });
  if (data.all.answers === 0) return [empty('No responses in this time range.')];
  const line = (member: Speed, title: string, unit: string) =>
    lineChart({
      title,
      unit,
      // Percentiles are known for days in UTC.
      time: 'UTC',
      series: PERCENTILES.map((name) => ({
        name,
        points: seriesOf(data.points, (point) => point[member][name]),
      })),
    });
  return [
    element(
      'p',
      { class: 'hint' },
      'Successful model responses, excluding cached ones. Percentiles are accurate to 5%. Days and hours are in UTC.',
    ),
    line('latency_ms', 'Duration of requests', 'ms'),
    element(
      'div',
      { class: 'columns' },
      line('ttft_ms', 'Time to first output of streams', 'ms'),
      line('tokens_per_second', 'Output tokens per second; 99% of responses reach p99', 'tokens/s'),
    ),
    percentileTable('Duration', data, (one) => one.latency_ms, duration),
    percentileTable('Time to first output', data, (one) => one.ttft_ms, duration),
    percentileTable('Output tokens per second', data, (one) => one.tokens_per_second, short),
  ];
}

function percentileTable(
  title: string,
  data: Latency,
  valuesOf: (one: Speeds) => Speeds[Speed],
  text: (value: number | null) => string,
) {
  const rowOf = (name: string, one: Speeds) => [
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
        [...data.groups.map((one) => rowOf(one.group ?? 'None', one)), rowOf('All', data.all)],
        'data totals',
      ),
    ),
  );
}
