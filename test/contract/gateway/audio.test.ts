import { expect } from 'vitest';
import { WebSocket } from 'undici';
import { startFixture } from '../../runtime/targets/gateway/fixture-provider.ts';
import { createKey } from './chat.ts';
import { AS_MASTER, asKey, providersFor } from './config.ts';
import { shareGateways } from './shared-gateways.ts';
import { verifiesGateway } from './verifies.ts';

const start = shareGateways();
const openai = await startFixture('openai');
const { openai: provider } = providersFor({ openai });
const files = { config: { providers: { openai: { ...provider, priced_as: 'openai' } } } };

verifiesGateway('gateway:audio', async (arm) => {
  const api = await start(arm, files);
  const key = asKey(await createKey(api, { user_id: 'audio' }));
  const form = new FormData();
  form.set('file', new File([Buffer.alloc(300_000, 7)], 'a.mp3', { type: 'audio/mpeg' }));
  form.set('model', 'openai:whisper-1');
  const heard = await api.ask('/v1/audio/transcriptions', { method: 'POST', headers: key, body: form });
  expect(heard.body.seen).toEqual({ bytes: 300_000, name: 'a.mp3', type: 'audio/mpeg' });
  const spoken = await fetch(`${api.url}/v1/audio/speech`, {
    method: 'POST',
    headers: { ...key, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'openai:tts-1', input: 'Hello!', voice: 'alloy' }),
  });
  expect([spoken.headers.get('content-type'), (await spoken.arrayBuffer()).byteLength]).toEqual([
    'audio/mpeg',
    6000,
  ]);
  const { body } = await api.get('/v1/users/audio/usage', AS_MASTER);
  expect(body.map(({ cost }: { cost: number }) => cost).sort()).toEqual([6 * 0.000015, 0.0003]);
});

verifiesGateway('gateway:realtime', async (arm) => {
  const api = await start(arm, files);
  const key = await createKey(api, { user_id: 'talk' });
  const protocols = ['realtime', `openai-insecure-api-key.${key}`];
  const socket = new WebSocket(
    `${api.url.replace('http', 'ws')}/v1/realtime?model=openai:gpt-realtime`,
    protocols,
  );
  const done = new Promise<string>((resolve, reject) => {
    socket.addEventListener('error', reject);
    socket.addEventListener('message', ({ data }) => {
      const { type } = JSON.parse(String(data)) as { type: string };
      if (type === 'session.created') socket.send('{"type":"response.create"}');
      if (type === 'response.done') resolve(type);
    });
  });
  expect(await done).toBe('response.done');
  const closed = new Promise((resolve) => socket.addEventListener('close', resolve));
  socket.close();
  await closed;
  const { body } = await api.get('/v1/users/talk/usage', AS_MASTER);
  expect(body).toMatchObject([{ endpoint: '/v1/realtime', prompt_tokens: 100, completion_tokens: 50 }]);
});

verifiesGateway('gateway:otari', async (arm) => {
  const api = await start(arm, files);
  const key = { 'otari-key': `Bearer ${await createKey(api, { user_id: 'otari' })}` };
  const chat = { model: 'openai:good', messages: [{ role: 'user', content: 'Hello' }] };
  expect((await api.post('/api/v1/chat/completions', chat, key)).body.object).toBe('chat.completion');
  const { body } = await api.get('/api/v1/models', key);
  expect(body.data).toEqual(expect.arrayContaining([expect.objectContaining({ id: 'openai:good' })]));
});
