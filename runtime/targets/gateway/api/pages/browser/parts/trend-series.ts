import type { Series } from '#serve/http/pages/browser/charts/lines.ts';
import type { Static } from 'typebox';
import type { spending } from '#gateway/api/trends-schemas.ts';
import type { Session } from '#serve/http/pages/browser/session.ts';
import { columnChart } from '#serve/http/pages/browser/components/chart.ts';
import { readRoute } from '#serve/http/pages/browser/route.ts';
import { rangeIn, rangeQuery, choicePart, zoneIn, ZONE_CHOICE } from './time-range.ts';

/** Points of a line. `points`: from the API. */
export const seriesOf = <Point extends { readonly start: string }>(
  points: readonly Point[],
  valueOf: (point: Point) => number | null,
): Series['points'] => points.map((point) => [Date.parse(point.start), valueOf(point)]);

type Points<Member extends string> = readonly (Readonly<Record<Member, number>> & {
  readonly start: string;
})[];

interface Trend<Member extends string> {
  readonly groups: readonly { readonly group: string | null; readonly points: Points<Member> }[];
  readonly others: { readonly points: Points<Member> } | null;
}

/**
 * The groups in a response as series, with a single series for all other groups. `trend`: response of
 * `/v1/usage/spending`.
 */
export const stackOf = <Member extends string>(
  { groups, others }: Trend<Member>,
  member: Member,
  nameOf: (group: string | null) => string = (group) => group ?? 'None',
): Series[] => [
  ...groups.map((one) => ({
    name: nameOf(one.group),
    points: seriesOf(one.points, (point) => point[member]),
  })),
  ...(others ? [{ name: 'Others', points: seriesOf(others.points, (point) => point[member]) }] : []),
];

type Spending = Static<typeof spending>;

/**
 * A chart of a user's, key's or team's spending in the last 30 days, with a choice of the time zone; nothing if
 * there were no requests. `scope`: e.g. `{ user_id: 'ada' }`.
 */
export async function ownSpending(session: Session, scope: Record<string, string>, signal: AbortSignal) {
  const range = rangeQuery(rangeIn(new URLSearchParams({ range: '30d' })));
  const draw = async (timeZone: string, leaving: AbortSignal) => {
    const query = { ...range, ...scope, time_zone: timeZone, top: 5 };
    const { data } = await session.call<Spending>('v1/usage/spending', { query, signal: leaving });
    if (data.totals.requests === 0) return [];
    return [
      columnChart({
        title: 'Spend of the last 30 days by model',
        unit: 'USD',
        time: timeZone,
        series: stackOf(data, 'cost'),
      }),
    ];
  };
  const { query } = readRoute(location.hash);
  let first: readonly Node[] | undefined = await draw(zoneIn(query), signal);
  if (first.length === 0) return [];
  return choicePart(ZONE_CHOICE, query, signal, async (timeZone, leaving) => {
    const drawn = first ?? (await draw(timeZone, leaving));
    first = undefined;
    return drawn;
  });
}
