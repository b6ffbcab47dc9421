import { expect, vi } from 'vitest';
import { describeDatabases } from '../../runtime/targets/gateway/databases.ts';
import { startFixture } from '../../runtime/targets/gateway/fixture-provider.ts';
import type { RunningProcess } from '../started-processes.ts';
import { verifiesOnce } from '../verifies.ts';
import { chatWith, createKey } from './chat.ts';
import { AS_MASTER, asKey, PROVIDER_KEY, providersFor } from './config.ts';
import { useGatewayProcesses } from './gateway-process.ts';

/** `KILLS=50` kills more of them. */
const KILLS = Number(process.env['KILLS'] ?? 2);
const CLIENTS = 2;

const { start } = useGatewayProcesses();
const openai = await startFixture('openai');
const files = { config: { providers: providersFor({ openai }) } };
const provider = (name: string): object => ({
  name,
  type: 'openai-compatible',
  api_base: `${openai.url}/v1`,
  api_key: PROVIDER_KEY,
});

/** Creates providers, each with an alias, until the gateway is killed. Returns the aliases whose creation was confirmed. */
async function createUntilKilled(
  api: RunningProcess,
  prefix: string,
  onAnswer: () => void,
): Promise<string[]> {
  const answered: string[] = [];
  for (let count = 0; ; count += 1) {
    const name = `${prefix}-${count}`;
    try {
      expect((await api.post('/v1/providers', provider(name), AS_MASTER)).status).toBe(200);
      const alias = { name, targets: [`${name}:good`] };
      expect((await api.post('/v1/aliases', alias, AS_MASTER)).status).toBe(200);
    } catch (error) {
      if (error instanceof TypeError) return answered;
      throw error;
    }
    answered.push(name);
    onAnswer();
  }
}

describeDatabases((database) => {
  verifiesOnce('gateway-process:registry', async () => {
    const flags = ['--database-url', await database.create()];
    const [first, other] = await Promise.all([start(files, flags), start(files, flags)]);
    let killed = first;
    const key = await createKey(other);
    const answered: string[] = [];
    const chat = async (api: RunningProcess, model: string): Promise<number> =>
      (await api.post('/v1/chat/completions', chatWith(model), asKey(key))).status;
    for (let kill = 0; kill < KILLS; kill += 1) {
      const { promise: busy, resolve } = Promise.withResolvers<undefined>();
      let answers = 0;
      const onAnswer = (): void => {
        answers += 1;
        if (answers === 2 * CLIENTS) resolve(undefined);
      };
      const clients = Array.from({ length: CLIENTS }, (_, client) =>
        createUntilKilled(killed, `k${kill}-${client}`, onAnswer),
      );
      await busy;
      killed.child.kill('SIGKILL');
      answered.push(...(await Promise.all(clients)).flat());
      await killed.ended;
      killed = await start(files, flags);
    }
    const newest = answered.at(-1) ?? '';
    await vi.waitFor(async () => expect(await chat(other, newest)).toBe(200), {
      timeout: 10_000,
      interval: 50,
    });
    for (const api of [killed, other]) {
      const statuses = await Promise.all(answered.map((alias) => chat(api, alias)));
      expect(statuses.filter((status) => status !== 200)).toEqual([]);
      const list = async (
        kind: string,
      ): Promise<readonly { readonly name: string; readonly status: string }[]> =>
        (await api.get(`/v1/${kind}?limit=1000`, AS_MASTER)).body;
      const all = [...(await list('providers')), ...(await list('aliases'))];
      expect(all.filter(({ status }) => status !== 'active')).toEqual([]);
      expect(all.length).toBeGreaterThanOrEqual(2 * answered.length + 1);
    }
  });
});
