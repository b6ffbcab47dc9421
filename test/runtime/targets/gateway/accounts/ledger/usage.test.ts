import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import type { UsageEntry } from '#gateway/accounts/ledger/ledger.ts';
import { describeDatabases } from '../../databases.ts';
import { newSpender, used } from '../../requests.ts';

const PAGE = { skip: 0, limit: 100 };

describeDatabases((database) => {
  /** Four requests of two users on two days. */
  const spend = async () => {
    const state = await database.start();
    const { identity, ledger, clock } = state;
    const ada = await newSpender(identity, { userId: 'ada' });
    const bob = await newSpender(identity, { userId: 'bob' });
    const request = async (spender: typeof ada, entry: UsageEntry): Promise<void> => {
      await ledger.settle(await ledger.reserve(spender, { cost: 1n, tokens: 1, free: false }), entry);
      clock.advance(1000);
    };
    await request(
      ada,
      used(5n, {
        cachedTokens: 4,
        cacheWriteTokens: 3,
        cacheWrite1hTokens: 1,
        latencyMs: 12.6,
        ttftMs: 3,
        statusCode: 200,
        requestId: 'r-1',
      }),
    );
    await request(ada, used(7n, { model: 'a "quoted", model\n', estimated: true }));
    clock.advance(86_400_000);
    await request(
      bob,
      used(null, { promptTokens: null, completionTokens: null, status: 'error', errorMessage: 'Oh, no' }),
    );
    await request(bob, used(1_500_000_000n, { provider: 'mistral', model: 'mistral:large' }));
    return { ...state, ada, bob };
  };

  test('usage rows are sorted newest first, and every filter returns only matching rows', async () => {
    const { usage, clock, ada } = await spend();
    const rows = await usage.list({}, PAGE);
    expect(rows.map(({ user_id: user, cost_nano: cost }) => [user, cost])).toEqual([
      ['bob', 1_500_000_000n],
      ['bob', null],
      ['ada', 7n],
      ['ada', 5n],
    ]);
    expect(rows[3]).toMatchObject({
      model: 'openai:small',
      provider: 'openai',
      endpoint: '/v1/chat/completions',
      prompt_tokens: 10,
      completion_tokens: 5,
      cached_tokens: 4,
      cache_write_tokens: 3,
      cache_write_1h_tokens: 1,
      total_tokens: 15,
      latency_ms: 13,
      ttft_ms: 3,
      status_code: 200,
      request_id: 'r-1',
      estimated: 0,
      attempt: 1,
    });
    expect(rows[1]).toMatchObject({ total_tokens: null, status: 'error', error_message: 'Oh, no' });
    const now = clock.wholeNow();
    const filters = [
      [{ userId: 'ada' }, 2],
      [{ keyId: ada.key?.id }, 2],
      [{ model: 'mistral:large' }, 1],
      [{ provider: 'openai' }, 3],
      [{ endpoint: '/v1/embeddings' }, 0],
      [{ status: 'error' }, 1],
      [{ requestId: 'r-1' }, 1],
      [{ from: now - 2000 }, 2],
      [{ to: now - 2000 }, 2],
      [{ from: now - 2000, to: now - 1000, userId: 'bob' }, 1],
      [{ userId: '\0' }, 0],
      [{ userId: "' or 1=1" }, 0],
    ] as const;
    for (const [filter, count] of filters) {
      expect(await usage.list(filter, PAGE), JSON.stringify(filter)).toHaveLength(count);
      expect((await usage.totals(filter)).requests, JSON.stringify(filter)).toBe(count);
    }
    expect(await usage.list({}, { skip: 1, limit: 2 })).toEqual(rows.slice(1, 3));
  });

  test('usage is aggregated by group and by day', async () => {
    const { usage, clock, ledger, ada } = await spend();
    expect(await usage.totals({})).toEqual({
      requests: 4,
      errors: 1,
      cancelled: 0,
      promptTokens: 30,
      completionTokens: 15,
      cachedTokens: 4,
      cacheWriteTokens: 3,
      cacheWrite1hTokens: 1,
      totalTokens: 45,
      cost: 1_500_000_012n,
      cacheSaved: 0n,
      unpriced: 0,
    });
    expect((await usage.totals({ userId: 'nobody' })).cost).toBe(0n);
    const groups = await usage.groups({}, ['user', 'provider'], PAGE);
    expect(groups.map(({ group, requests, cost }) => [...group, requests, cost])).toEqual([
      ['bob', 'mistral', 1, 1_500_000_000n],
      ['ada', 'openai', 2, 12n],
      ['bob', 'openai', 1, 0n],
    ]);
    expect(await usage.groups({}, ['key'], { skip: 1, limit: 1 })).toMatchObject([
      { requests: 2, cost: 12n },
    ]);
    const day = 86_400_000;
    const today = clock.wholeNow() - (clock.wholeNow() % day);
    expect((await usage.series({}, 'day')).map(({ start, requests }) => [start, requests])).toEqual([
      [today - day, 2],
      [today, 2],
    ]);
    expect(await usage.series({}, 'minute')).toHaveLength(2);
    // The last moment of March and the first of April.
    clock.advance(Date.parse('2026-04-01T00:00:00Z') - clock.wholeNow() - 1);
    await ledger.bill(ada, used(1n));
    clock.advance(1);
    await ledger.bill(ada, used(2n));
    const months = await usage.series({}, 'month');
    expect(months.map(({ start, requests, cost }) => [start, requests, cost])).toEqual([
      [Date.parse('2026-03-01T00:00:00Z'), 5, 1_500_000_013n],
      [Date.parse('2026-04-01T00:00:00Z'), 1, 2n],
    ]);
    // In Berlin, both are in April; in Kathmandu, days start at a quarter past the hour.
    const starts = async (interval: 'hour' | 'day' | 'month', timeZone: string) =>
      (await usage.series({}, interval, { timeZone })).map(({ start, requests }) => [
        new Date(start).toISOString(),
        requests,
      ]);
    expect(await starts('month', 'Europe/Berlin')).toEqual([
      ['2026-02-28T23:00:00.000Z', 4],
      ['2026-03-31T22:00:00.000Z', 2],
    ]);
    expect((await starts('month', 'Asia/Kathmandu')).at(-1)).toEqual(['2026-03-31T18:15:00.000Z', 2]);
    expect((await starts('day', 'America/New_York')).at(-1)).toEqual(['2026-03-31T04:00:00.000Z', 2]);
    expect((await starts('hour', 'Asia/Kolkata')).at(-1)).toEqual(['2026-03-31T23:30:00.000Z', 2]);
    expect(await usage.series({}, 'month', { timeZone: 'UTC' })).toEqual(months);
    expect(await usage.series({}, 'month', { timeZone: 'Asia/Tokyo', limit: 1 })).toHaveLength(1);
  });

  test('`unpriced` counts requests without a price, but not failed requests without tokens', async () => {
    const { identity, ledger, usage } = await database.start();
    const ada = await newSpender(identity, { userId: 'ada' });
    const none = { promptTokens: null, completionTokens: null } as const;
    const entries = [
      used(null),
      used(null, { status: 'error' }),
      used(3n),
      used(null, { ...none, status: 'error' }),
    ];
    for (const entry of entries)
      await ledger.settle(await ledger.reserve(ada, { cost: 1n, tokens: 1, free: false }), entry);
    expect(await usage.totals({})).toMatchObject({ requests: 4, cost: 3n, unpriced: 2 });
  });

  test('usage is exported as CSV that standard parsers accept, for any number of rows', async () => {
    const { usage, store } = await spend();
    const [row] = await usage.list({ requestId: 'r-1' }, PAGE);
    if (!row) throw new Error('There is no such row.');
    const more = Array.from({ length: 1500 }, (_, index) => ({
      ...row,
      id: `more ${String(index).padStart(4, '0')}`,
    }));
    for (const part of [more.slice(0, 750), more.slice(750)])
      await store.db.insertInto('gateway_usage').values(part).execute();
    const text = (await Array.fromAsync(usage.csv({}))).join('');
    const records: Record<string, string>[] = parse(text, { columns: true });
    expect(records).toHaveLength(1504);
    expect(new Set(records.map(({ id }) => id)).size).toBe(1504);
    expect(records.at(-1)).toMatchObject({
      user_id: 'bob',
      cost: '1.5',
      usage_estimated: 'false',
      error_message: '',
    });
    expect(records.at(-2)).toMatchObject({ cost: '', total_tokens: '', error_message: 'Oh, no' });
    expect(records.at(-3)).toMatchObject({ model: 'a "quoted", model\n', usage_estimated: 'true' });
    expect(records.at(-4)).toMatchObject({ cost: '0.000000005', timestamp: '2026-03-01T12:00:00Z' });
  });
});
