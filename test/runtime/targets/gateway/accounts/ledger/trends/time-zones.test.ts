import { expect, test } from 'vitest';
import { rfc3339 } from '#core/time/rfc3339.ts';
import { dollarsOf } from '#gateway/shared/money.ts';
import { readGolden } from '#test/helpers/golden-images.ts';
import { gatewayOn } from '../../../api/open-gateway.ts';
import { describeDatabases } from '../../../databases.ts';
import { USAGE_ROW } from '../../../usage-row.ts';

type GoldenPoint = readonly [seconds: number, requests: number, errors: number, tokens: number, cost: string];
type GoldenRow = readonly [
  time: number,
  user: string | null,
  key: string,
  model: string,
  hasFailed: boolean,
  tokens: number | null,
  cost: string | null,
];
interface Case {
  readonly zone: string;
  readonly interval: string;
  readonly scope: string;
  readonly points: readonly GoldenPoint[];
}

/** Random rows and their sums by Python's zoneinfo, created by fixtures/scripts/make_usage_zones.py. */
const { rows: ROWS, cases: CASES } = readGolden('usage-zones.json') as {
  readonly rows: readonly GoldenRow[];
  readonly cases: readonly Case[];
};

const expectedOf = ([seconds, requests, errors, tokens, cost]: GoldenPoint) => ({
  start: rfc3339(seconds * 1000),
  requests,
  errors,
  total_tokens: tokens,
  cost: dollarsOf(BigInt(cost)),
});

const DAY_MS = 86_400_000;
/** Longest range by hour. */
const HOURS = 30 * DAY_MS;

describeDatabases((database) => {
  const start = async () => {
    const { clock, ...state } = await database.start();
    const rows = ROWS.map(([time, user, key, model, hasFailed, tokens, cost], at) => ({
      ...USAGE_ROW,
      id: `row-${at}`,
      timestamp: time,
      user_id: user,
      api_key_id: key,
      model,
      status: hasFailed ? ('error' as const) : ('success' as const),
      total_tokens: tokens,
      cost_nano: cost === null ? null : BigInt(cost),
    }));
    for (let at = 0; at < rows.length; at += 400)
      await state.store.db
        .insertInto('gateway_usage')
        .values(rows.slice(at, at + 400))
        .execute();
    return { ...gatewayOn(state, clock), state };
  };

  test('sums of hours, days, weeks and months match those of the individual rows in every time zone, while and after they are added up', async () => {
    const { ask, state } = await start();
    const series = async (path: string, { zone, interval, scope }: Case, range: string) => {
      const query = `interval=${interval}&time_zone=${encodeURIComponent(zone)}&${scope}&${range}`;
      const { status, body, text } = await ask('GET', `${path}?${query}`);
      if (status !== 200) throw new Error(text);
      return body;
    };
    const pick = ({ start: at, requests, errors, total_tokens, cost }: Record<string, unknown>) => ({
      start: at,
      requests,
      errors,
      total_tokens,
      cost,
    });
    const check = async (one: Case) => {
      const isHourly = one.interval === 'hour';
      const from = Date.parse(isHourly ? '2026-03-20T00:00:00Z' : '2025-09-01T00:00:00Z');
      const to = isHourly ? from + HOURS : Date.parse('2026-05-01T00:00:00Z');
      const range = `from=${rfc3339(from)}&to=${rfc3339(to)}`;
      const found = await series('/v1/usage/spending', one, `${range}&group_by=model`);
      const [first, last] = [Date.parse(found.from), Date.parse(found.to)];
      const wanted = one.points
        .filter(([seconds]) => seconds * 1000 >= first && seconds * 1000 < last)
        .map(expectedOf);
      expect([one.zone, found.points.map(pick)]).toEqual([one.zone, wanted]);
      expect(found.time_zone).toBe(one.zone);
      // The groups add up to the same sums.
      const requests = found.groups.map(({ totals }: { totals: { requests: number } }) => totals.requests);
      expect(requests.reduce((sum: number, more: number) => sum + more, 0)).toBe(found.totals.requests);
      const raw = await series('/v1/usage', one, '');
      expect([one.zone, raw.series.map(pick)]).toEqual([one.zone, one.points.map(expectedOf)]);
    };
    for (const one of CASES.slice(0, 20)) await check(one);
    // Half of the rows are in the aggregates, and the others are not.
    await state.trends.count(ROWS[300]?.[0] ?? 0);
    for (const one of CASES) await check(one);
    for (const [time] of ROWS.filter((_row, at) => at % 50 === 0)) await state.trends.count(time);
    await state.trends.count(Date.parse('2026-06-01T00:00:00Z'));
    for (const one of CASES) await check(one);
  }, 120_000);
});
