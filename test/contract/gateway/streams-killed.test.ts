import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { describeDatabases } from '../../runtime/targets/gateway/databases.ts';
import { startFixture } from '../../runtime/targets/gateway/fixture-provider.ts';
import type { Store } from '#gateway/store/store.ts';
import { verifiesOnce } from '../verifies.ts';
import { beginStream, chatWith, createKey } from './chat.ts';
import { AS_MASTER, asKey, providersFor } from './config.ts';
import { useGatewayProcesses } from './gateway-process.ts';

const STREAMS = 24;
const WHOLE = 6;

const { start } = useGatewayProcesses();
const [openai, anthropic] = await Promise.all([startFixture('openai'), startFixture('anthropic')]);
const price = { input_price_per_million: 1, output_price_per_million: 2 };
const files = {
  config: {
    providers: providersFor({ openai, anthropic }),
    pricing: {
      'openai:good': price,
      'openai:stall': price,
      'openai:silent': price,
      'anthropic:stall': { ...price, cached_input_price_per_million: 0.1 },
    },
  },
};

/** Waits until the database contains the usage of all requests in flight, and what was sent of the streams. */
async function untilNoted({ db }: Store): Promise<void> {
  for (;;) {
    const rows = await db.selectFrom('gateway_reservations').select('interrupted').execute();
    const noted = rows.filter((row) => row.interrupted !== null);
    const sent = noted.filter((row) => /"completionTokens":[1-9]/.test(row.interrupted ?? ''));
    if (noted.length === STREAMS + WHOLE && sent.length === STREAMS) return;
    await sleep(20);
  }
}

describeDatabases((database) => {
  verifiesOnce('gateway-ledger:interrupted', async () => {
    const url = await database.create();
    const flags = ['--database-url', url];
    const gateway = await start(files, flags);
    await gateway.post('/v1/users', { user_id: 'ada' }, AS_MASTER);
    const key = await createKey(gateway, { user_id: 'ada' });
    const headers = asKey(key);
    const models = ['openai:stall', 'anthropic:stall'];
    const streams = await Promise.all(
      Array.from({ length: STREAMS }, (_, at) => beginStream(gateway, models[at % 2] ?? '', headers)),
    );
    // The streams break at the kill.
    const broken = Promise.allSettled(streams.map(({ rest }) => rest));
    const whole = Array.from({ length: WHOLE }, async () => {
      await gateway.post('/v1/chat/completions', chatWith('openai:silent'), headers).catch(() => undefined);
    });
    const ended = await gateway.post('/v1/chat/completions', chatWith('openai:good'), headers);
    expect(ended.status).toBe(200);
    const store = await database.openStore(url);
    await untilNoted(store);
    gateway.child.kill('SIGKILL');
    await gateway.ended;
    await Promise.all([broken, ...whole]);
    // Two gateways that start at the same time detect the same dead process.
    const next = await Promise.all([start(files, flags), start(files, flags)]);

    const rows = await store.db.selectFrom('gateway_usage').selectAll().execute();
    const interrupted = rows.filter(({ status }) => status === 'interrupted');
    expect(interrupted).toHaveLength(STREAMS + WHOLE);
    expect(new Set(interrupted.map((row) => row.request_id)).size).toBe(STREAMS + WHOLE);
    expect(rows.filter(({ status }) => status === 'success')).toHaveLength(1);
    expect(interrupted.every((row) => row.estimated === 1 && row.user_id === 'ada')).toBe(true);
    const sent = interrupted.filter(({ completion_tokens: tokens }) => (tokens ?? 0) > 0);
    expect(sent).toHaveLength(STREAMS);
    // The usage that Anthropic reports at the start of a stream is not an estimate.
    const reported = interrupted.filter(({ model }) => model === 'anthropic:stall');
    expect(reported.every((row) => (row.cached_tokens ?? 0) > 0)).toBe(true);
    const cost = rows.reduce((sum, row) => sum + (row.cost_nano ?? 0n), 0n);
    const account = await store.db
      .selectFrom('gateway_accounts')
      .selectAll()
      .where('id', '=', 'user:ada')
      .executeTakeFirstOrThrow();
    expect(account).toMatchObject({ spent_nano: cost, reserved_nano: 0n, running: 0 });
    expect(await store.db.selectFrom('gateway_reservations').selectAll().execute()).toEqual([]);
    console.log(
      `${database.kind}: ${STREAMS + WHOLE} in flight at the kill, ${interrupted.length} rows, ${cost} nano-dollars`,
    );
    for (const one of next) {
      one.child.kill('SIGTERM');
      expect(await one.ended).toBe(0);
    }
  });
});
