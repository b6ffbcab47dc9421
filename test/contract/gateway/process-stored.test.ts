import { expect } from 'vitest';
import { describeDatabases } from '../../runtime/targets/gateway/databases.ts';
import { startFixture } from '../../runtime/targets/gateway/fixture-provider.ts';
import { verifiesOnce } from '../verifies.ts';
import { createKey } from './chat.ts';
import { AS_MASTER, asKey, providersFor } from './config.ts';
import { useGatewayProcesses } from './gateway-process.ts';

const { start } = useGatewayProcesses();
const openai = await startFixture('openai');
const { openai: provider } = providersFor({ openai });
const files = { config: { providers: { openai: { ...provider, priced_as: 'openai' } } } };
const LINE = {
  custom_id: '1',
  method: 'POST',
  url: '/v1/chat/completions',
  body: { model: 'openai:gpt-4o-mini', max_tokens: 50, messages: [{ role: 'user', content: 'Hello' }] },
};

describeDatabases((database) => {
  verifiesOnce('gateway:stored', async () => {
    const flags = ['--database-url', await database.create()];
    const first = await start(files, flags);
    const [ann, bob] = [
      await createKey(first, { user_id: 'ann' }),
      await createKey(first, { user_id: 'bob' }),
    ];
    const form = new FormData();
    form.set('purpose', 'batch');
    form.set('file', new File([JSON.stringify(LINE)], 'requests.jsonl'));
    const { body: file } = await first.ask('/v1/files', { method: 'POST', headers: asKey(ann), body: form });
    const request = { input_file_id: file.id, endpoint: LINE.url, completion_window: '24h' };
    expect((await first.post('/v1/batches', request, asKey(bob))).status).toBe(404);
    const { body: batch } = await first.post('/v1/batches', request, asKey(ann));
    first.child.kill('SIGKILL');
    await first.ended;

    const second = await start(files, flags);
    const userOf = async () => (await second.get('/v1/users/ann', AS_MASTER)).body;
    expect((await userOf()).reserved).toBeGreaterThan(0);
    await fetch(`${openai.url}/finish`, { method: 'POST' });
    const path = `/v1/batches/${batch.id}`;
    expect((await second.get(path, asKey(bob))).status).toBe(404);
    await Promise.all([1, 2, 3].map(() => second.get(path, asKey(ann))));
    await expect.poll(async () => (await userOf()).reserved).toBe(0);
    const { body: usage } = await second.get('/v1/users/ann/usage', AS_MASTER);
    const cost = (21 * 0.075 + 9 * 0.3) / 1e6;
    expect(usage).toMatchObject([{ endpoint: '/v1/batches', request_id: batch.id, cost }]);
    expect((await userOf()).spend).toBeCloseTo(cost, 12);
  });
});
