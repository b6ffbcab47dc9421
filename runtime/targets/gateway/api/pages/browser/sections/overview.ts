import type { Static } from 'typebox';
import type { liveRequests } from '#gateway/api/requests-schemas.ts';
import type { latency, spending } from '#gateway/api/trends-schemas.ts';
import type { GatewaySection } from '../parts/section.ts';
import type { Session } from '#serve/http/pages/browser/session.ts';
import { columnChart, lineChart } from '#serve/http/pages/browser/components/chart.ts';
import { figures } from '#serve/http/pages/browser/components/facts.ts';
import { empty } from '#serve/http/pages/browser/components/states.ts';
import { element } from '#serve/http/pages/browser/dom.ts';
import { count, duration, money, percent } from '#serve/http/pages/browser/format.ts';
import { every } from '../parts/live-part.ts';
import { rangePage, type TimeRange, rangeQuery, ZONE_CHOICE } from '../parts/time-range.ts';
import { seriesOf, stackOf } from '../parts/trend-series.ts';
import { linkTo } from '#serve/http/pages/browser/route.ts';

const REFRESH_MS = 30_000;

export const OVERVIEW: readonly GatewaySection[] = [
  {
    path: '',
    name: 'Overview',
    group: 'Usage',
    show(place) {
      const part = rangePage(place, [ZONE_CHOICE], (range, chosen, signal) =>
        draw(place.session, { range, timeZone: chosen('time_zone') }, signal),
      );
      every(place.signal, REFRESH_MS, part.refresh);
    },
  },
];

async function draw(
  session: Session,
  { range, timeZone }: { range: TimeRange; timeZone: string },
  signal: AbortSignal,
) {
  const query = rangeQuery(range);
  const [{ data: spent }, { data: speed }, { data: live }] = await Promise.all([
    session.call<Static<typeof spending>>('v1/usage/spending', {
      query: { ...query, time_zone: timeZone, top: 5 },
      signal,
    }),
    session.call<Static<typeof latency>>('v1/usage/latency', { query: { ...query, top: 5 }, signal }),
    session.call<Static<typeof liveRequests>>('v1/requests/live', { signal }),
  ]);
  const { totals, points } = spent;
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
      ...(totals.errors / Math.max(1, totals.requests) > 0.05 ? { kind: 'alarm' as const } : {}),
    },
    { name: 'Tokens', value: count(totals.total_tokens), note: `${count(totals.completion_tokens)} output` },
    {
      name: 'Latency',
      value: duration(speed.all.latency_ms.p50),
      note: `95% within ${duration(speed.all.latency_ms.p95)}`,
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
    columnChart({ title: 'Spend by model', unit: 'USD', time: timeZone, series: stackOf(spent, 'cost') }),
    element(
      'div',
      { class: 'columns' },
      columnChart({
        title: 'Requests',
        unit: 'requests',
        time: timeZone,
        series: [
          { name: 'Successful', points: points.map(pointOf(({ requests, errors }) => requests - errors)) },
          { name: 'Failed', points: points.map(pointOf(({ errors }) => errors)) },
        ],
      }),
      lineChart({
        title: 'Latency (times in UTC)',
        unit: 'ms',
        time: 'UTC',
        series: [
          { name: 'Median', points: seriesOf(speed.points, (point) => point.latency_ms.p50) },
          { name: '95th percentile', points: seriesOf(speed.points, (point) => point.latency_ms.p95) },
        ],
      }),
    ),
  ];
}

type Point = Static<typeof spending>['points'][number];

const pointOf = (valueOf: (point: Point) => number) => (point: Point) =>
  [Date.parse(point.start), valueOf(point)] as const;
