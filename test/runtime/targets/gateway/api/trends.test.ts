import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { describeDatabases } from '../databases.ts';
import { MASTER_KEY } from '../master-key.ts';
import { USAGE_ROW } from '../usage-row.ts';
import { gatewayOn } from './open-gateway.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ROWS = 2600;

/** A row for each number, covering all combinations of IDs and outcomes. */
const rowOf = (number: number, now: number) => {
  const isError = number % 7 === 0;
  const latency = 100 + (number % 50) * 10;
  return {
    ...USAGE_ROW,
    id: `row-${String(number).padStart(5, '0')}`,
    // The last rows are too new to be aggregated.
    timestamp: now - (ROWS - number) * 97_003,
    user_id: ['ada', 'bob', 'cy'][number % 3] ?? null,
    api_key_id: number % 5 === 0 ? null : `key-${number % 5}`,
    team_id: number % 2 === 0 ? 'research' : null,
    organization_id: number % 2 === 0 ? 'acme' : null,
    model: number % 4 === 0 ? 'a:small' : number % 4 === 1 ? 'a:large' : 'b:other',
    provider: number % 4 < 2 ? 'a' : 'b',
    prompt_tokens: isError ? null : number,
    completion_tokens: isError ? null : 40,
    cached_tokens: isError ? null : 2,
    cache_write_tokens: isError ? null : number % 3,
    // Writing can cost more than reading saves.
    cache_saved_nano: isError ? null : BigInt((number % 7) - 3) * 100n,
    total_tokens: isError ? null : number + 40,
    cost_nano: isError ? null : BigInt(number) * 1000n,
    status: isError ? ('error' as const) : ('success' as const),
    error_detail: isError ? 'secret address' : null,
    status_code: isError ? 502 : 200,
    latency_ms: latency,
    ttft_ms: 50,
    request_id: `request-${number}`,
  };
};
type Row = ReturnType<typeof rowOf>;
type Groups = readonly (ReturnType<typeof expected> & { readonly group: string | null })[];

/** The same numbers, computed from the individual rows. */
function expected(rows: readonly Row[], length: number) {
  const totalsOf = (members: readonly Row[]) => ({
    requests: members.length,
    errors: members.filter(({ status }) => status === 'error').length,
    prompt_tokens: members.reduce((sum, row) => sum + (row.prompt_tokens ?? 0), 0),
    completion_tokens: members.reduce((sum, row) => sum + (row.completion_tokens ?? 0), 0),
    cached_tokens: members.reduce((sum, row) => sum + (row.cached_tokens ?? 0), 0),
    cache_write_tokens: members.reduce((sum, row) => sum + (row.cache_write_tokens ?? 0), 0),
    total_tokens: members.reduce((sum, row) => sum + (row.total_tokens ?? 0), 0),
    cost: Number(members.reduce((sum, row) => sum + (row.cost_nano ?? 0n), 0n)) / 1e9,
    cache_saved: Number(members.reduce((sum, row) => sum + (row.cache_saved_nano ?? 0n), 0n)) / 1e9,
  });
  const byStart = Map.groupBy(rows, ({ timestamp }) => Math.floor(timestamp / length) * length);
  return {
    totals: totalsOf(rows),
    points: [...byStart]
      .toSorted(([one], [other]) => one - other)
      .map(([start, members]) => ({
        start: new Date(start).toISOString().replace('.000Z', 'Z'),
        ...totalsOf(members),
      })),
  };
}

/** The value at a given fraction of the sorted values. */
const exact = (values: readonly number[], share: number): number =>
  values.toSorted((one, other) => one - other)[Math.ceil(values.length * share) - 1] ?? Number.NaN;

describeDatabases((database) => {
  const start = async () => {
    const { clock, ...state } = await database.start();
    const gateway = gatewayOn(state, clock);
    const rows = Array.from({ length: ROWS }, (_, number) => rowOf(number, Math.floor(clock.now())));
    for (let at = 0; at < ROWS; at += 400)
      await state.store.db
        .insertInto('gateway_usage')
        .values(rows.slice(at, at + 400))
        .execute();
    return { ...gateway, state, clock, rows };
  };

  test('spending and percentiles match the individual usage rows, before and after aggregation', async () => {
    const { ask, state, clock, rows } = await start();
    const from = Math.floor(clock.now()) - 2 * DAY_MS;
    const days = '?from=2026-02-20&to=2026-03-02';
    const inDays = rows.filter(({ timestamp }) => timestamp >= Date.parse('2026-02-20T00:00:00Z'));
    const check = async () => {
      for (const [by, name] of [
        ['user', 'user_id'],
        ['key', 'api_key_id'],
        ['team', 'team_id'],
        ['organization', 'organization_id'],
        ['model', 'model'],
        ['provider', 'provider'],
      ] as const) {
        const { body } = await ask('GET', `/v1/usage/spending${days}&group_by=${by}`);
        expect(body).toMatchObject({ interval: 'day', others: null, ...expected(inDays, DAY_MS) });
        const groups = [...Map.groupBy(inDays, (row) => row[name])].map(([group, members]) => ({
          group,
          ...expected(members, DAY_MS),
        }));
        expect(body.groups).toEqual(groups.toSorted((one, other) => other.totals.cost - one.totals.cost));
      }
      const { body: top } = await ask(
        'GET',
        `/v1/usage/spending${days}&group_by=user&top=1&team_id=research`,
      );
      const team = inDays.filter((row) => row.team_id === 'research');
      expect(top).toMatchObject(expected(team, DAY_MS));
      expect(top.others).toMatchObject({ groups: 2 });
      expect(top.groups[0].totals.cost + top.others.totals.cost).toBeCloseTo(top.totals.cost, 9);
      expect(top.others).toMatchObject(
        expected(
          team.filter((row) => row.user_id !== top.groups[0].group),
          DAY_MS,
        ),
      );

      for (const order of ['cost', 'requests', 'errors', 'total_tokens'] as const) {
        const query = `${days}&group_by=key&order_by=${order}&top=3&series=2`;
        const { body } = await ask('GET', `/v1/usage/spending${query}`);
        const sizes = [...Map.groupBy(inDays, (row) => row.api_key_id).values()].map(
          (members) => expected(members, DAY_MS).totals[order],
        );
        const largest = sizes.toSorted((one, other) => other - one);
        expect(body.groups.map(({ totals }: Groups[number]) => totals[order])).toEqual(largest.slice(0, 3));
        expect(body.others.totals[order]).toBeCloseTo(
          largest.slice(3).reduce((sum, size) => sum + size),
          9,
        );
        // Groups after the first series, which are combined, have no points.
        const groups: Groups = body.groups;
        expect(groups.map(({ points }) => points.length > 0)).toEqual([true, true, false]);
        expect(body.others.points).toEqual([]);
        const first = inDays.filter((row) => row.api_key_id === groups[0]?.group);
        expect(groups[0]).toMatchObject(expected(first, DAY_MS));
      }

      const hours = `?interval=hour&from=${from / 1000}`;
      const inHours = rows.filter(({ timestamp }) => timestamp >= Math.floor(from / HOUR_MS) * HOUR_MS);
      for (const query of ['', '&group_by=key'])
        expect((await ask('GET', `/v1/usage/spending${hours}${query}`)).body).toMatchObject(
          expected(inHours, HOUR_MS),
        );
      // For longer ranges than two days, hours of a single user are parts of daily sums.
      const { body: ada } = await ask('GET', `/v1/usage/spending${days}&interval=hour&user_id=ada`);
      expect(ada).toMatchObject(
        expected(
          inDays.filter((row) => row.user_id === 'ada'),
          HOUR_MS,
        ),
      );
      const { body: latency } = await ask('GET', `/v1/usage/latency${days}`);
      const small = inDays.filter(({ model, status }) => model === 'a:small' && status === 'success');
      const group = latency.groups.find((one: { group: string }) => one.group === 'a:small');
      expect(group.answers).toBe(small.length);
      for (const [name, share] of [
        ['p50', 0.5],
        ['p99', 0.99],
      ] as const) {
        const value = exact(
          small.map(({ latency_ms: ms }) => ms),
          share,
        );
        expect(Math.abs(group.latency_ms[name] - value) / value).toBeLessThan(0.055);
        const speed = exact(
          small.map((row) => (40 * 1000) / (row.latency_ms - row.ttft_ms)),
          1 - share + 1e-9,
        );
        expect(Math.abs(group.tokens_per_second[name] - speed) / speed).toBeLessThan(0.12);
      }
    };
    await check();
    // Two concurrent aggregations count no row twice.
    await Promise.all([
      state.trends.count(Math.floor(clock.now())),
      state.trends.count(Math.floor(clock.now())),
    ]);
    const { rows: sums } = await sql<{ requests: bigint }>`
      select cast(sum(requests) as bigint) as requests from gateway_usage_sums where hours = 1`.execute(
      state.store.db,
    );
    const summed = rows.filter(({ timestamp }) => timestamp < Math.floor(clock.now()) - 300_000).length;
    expect(Number(sums[0]?.requests)).toBe(summed);
    expect(summed).toBeLessThan(ROWS);
    await check();
    clock.advance(400_000);
    await state.trends.count(Math.floor(clock.now()));
    await check();
  });

  test('each page of requests continues where the previous page ended, and callers see only the requests that they are permitted to see', async () => {
    const { ask, request, rows, state } = await start();
    await ask('POST', '/v1/users', { user_id: 'ada' });
    // Filtered before reading requests: usage older than the user belongs to an earlier user with the same ID.
    await state.store.db.updateTable('gateway_users').set({ created_at: 0 }).execute();
    const { body: manage } = await ask('POST', '/v1/keys', { user_id: 'ada', scope: 'manage' });
    const { body: own } = await ask('POST', '/v1/keys', { user_id: 'ada' });
    const as = async (path: string, key: string = MASTER_KEY) =>
      await request(path, { headers: { Authorization: `Bearer ${key}` } });

    for (const [query, isWanted] of [
      ['status=error', (row: Row) => row.status === 'error'],
      ['model=a:small&user_id=bob', (row: Row) => row.model === 'a:small' && row.user_id === 'bob'],
      ['team_id=research', (row: Row) => row.team_id === 'research'],
    ] as const) {
      const wanted = rows.filter(isWanted).toReversed();
      const seen: string[] = [];
      for (let cursor = ''; ;) {
        const { body } = await as(`/v1/requests?${query}&limit=400&cursor=${cursor}`);
        seen.push(...body.items.map(({ id }: { id: string }) => id));
        if (body.next === null) break;
        cursor = body.next;
      }
      expect(seen).toEqual(wanted.map(({ id }) => id));
    }
    const mine = await as('/v1/requests?limit=500', manage.key);
    expect(new Set(mine.body.items.map((item: { user_id: string }) => item.user_id))).toEqual(
      new Set(['ada']),
    );
    expect(mine.text).not.toContain('secret address');
    expect((await as('/v1/requests?status=error&limit=1')).body.items[0].error_detail).toBe('secret address');
    expect((await as('/v1/requests', own.key)).body).toEqual({ items: [], next: null });
    expect((await as('/v1/usage/spending?from=2026-02-20', manage.key)).body.totals.requests).toBeLessThan(
      ROWS / 2,
    );

    for (const [path, status, words] of [
      ['/v1/requests?user_id=bob', 403, 'can read only their own usage'],
      ['/v1/usage/spending?team_id=research', 403, 'can read only their own usage'],
      ['/v1/requests/row-00001', 404, "Request 'row-00001' not found"],
      ['/v1/requests/row-00000', 200, 'request-0'],
      ['/v1/requests?cursor=x', 422, 'cursor must be the `next` value of a response'],
      ['/v1/requests?user_id=ada&team_id=x', 422, 'mutually exclusive'],
      ['/v1/usage/spending?from=2026-03-01&to=2026-02-01', 422, 'from must be before to'],
      [
        '/v1/usage/spending?from=9999-12-01&to=9999-12-31&interval=week',
        422,
        'the interval of to ends after the year 9999. Use an earlier to',
      ],
      ['/v1/usage/spending?interval=hour&from=2026-01-01', 422, 'more than 800 intervals'],
      ['/v1/usage/latency?interval=hour&from=2026-02-20', 422, 'exceeds 48 hours'],
      ['/v1/usage/latency?interval=week', 422, 'interval must be'],
      ['/v1/usage/latency?time_zone=UTC', 422, 'time_zone'],
      ['/v1/usage/spending?interval=hour&group_by=team&from=2026-02-20', 422, 'exceeds 48 hours'],
      ['/v1/usage/spending?interval=week&group_by=team', 422, 'cannot be grouped by team'],
      ['/v1/usage/spending?interval=month&from=2020-01-01', 422, 'exceeds 800 days'],
      ['/v1/usage/spending?time_zone=Berlin', 422, 'is not a time zone. Use a name such as Europe/Berlin'],
      ['/v1/usage/spending?time_zone=%2B05:37', 422, 'is not a multiple of 15 minutes'],
      ['/v1/usage?interval=day&time_zone=%2B05:37', 422, 'is not a multiple of 15 minutes'],
      ['/v1/usage/spending?group_by=team', 422, 'cannot be grouped by team'],
      ['/v1/guardrail-hits', 403, 'requires the role viewer'],
      ['/v1/provider-states', 403, 'requires the role viewer'],
    ] as const) {
      const answer = await as(path, manage.key);
      expect([path, answer.status]).toEqual([path, status]);
      expect(answer.text).toContain(words);
    }
  });

  test('queries for charts and lists use indexes', async () => {
    const { state, clock } = await start();
    await state.trends.count(Math.floor(clock.now()));
    const { db, kind } = state.store;
    const plans: string[] = [];
    // Without statistics, PostgreSQL prefers to scan a small table.
    const explain = kind === 'sqlite' ? 'explain query plan ' : 'explain ';
    const queries = [
      `select * from gateway_usage_sums where hours = 24 and kind = 'model' and scope = '' and start >= 1 and start < 2`,
      `select * from gateway_usage where user_id = 'ada' and (timestamp, id) < (5, 'x') order by timestamp desc, id desc limit 50`,
      `select * from gateway_usage where model = 'm' order by timestamp desc, id desc limit 50`,
      `select * from gateway_usage where status = 'error' order by timestamp desc, id desc limit 50`,
    ];
    await db.transaction().execute(async (trx) => {
      if (kind === 'postgres') await sql`set local enable_seqscan = off`.execute(trx);
      for (const query of queries) {
        const { rows } = await sql.raw(`${explain}${query}`).execute(trx);
        plans.push(JSON.stringify(rows));
      }
    });
    for (const plan of plans) expect(plan).toMatch(/Index (?:Only )?Scan|Index Cond|USING INDEX/);
  });
});
