import { expect } from 'vitest';
import { ask, post } from './http-client.ts';
import { shareServers } from './shared-servers.ts';
import { verifiesServed } from './verifies.ts';

const serve = shareServers();
const GRPC = 'encoder.SequenceClassification/Predict';

verifiesServed('serve:lanes', async (arm) => {
  const { url, grpcPort } = await serve(arm, 'sentiment');
  const many = Array.from({ length: 2048 }, (_, at) => `text ${at} `.repeat(30));
  const ended: string[] = [];
  const send = async (name: string, inputs: readonly string[]): Promise<void> => {
    const { status } = await post(`${url}/predict`, { inputs });
    ended.push(`${name} ${status}`);
  };
  const index = send('index job', many);
  await Promise.all([send('query', ['a']), send('query', ['b']), index]);
  expect(ended).toEqual(['query 200', 'query 200', 'index job 200']);

  for (const target of [`${url}/predict`, `http://127.0.0.1:${grpcPort}/${GRPC}`]) {
    const given = (priority: string) => post(target, { inputs: ['a'] }, { priority });
    expect((await given('soon')).text).toContain('The header Priority must be interactive or bulk, not ');
    for (const known of ['interactive', 'bulk', 'u=1, i']) expect((await given(known)).status).toBe(200);
  }
});

verifiesServed('serve:result-cache', async (arm) => {
  const { url, grpcPort } = await serve(arm, 'sentence', ['--result-cache=1000000']);
  const embed = (input: readonly string[], more = {}) =>
    post(`${url}/v1/embeddings`, { model: 'model', input, ...more });
  const first = await embed(['a cat', 'a dog', 'a cat']);
  expect(first.headers).toMatchObject({ 'x-cached-inputs': '1' });
  const second = await embed(['a cat', 'a dog', 'a cat']);
  expect(second.headers).toMatchObject({ 'x-cached-inputs': '3' });
  expect(second.text).toBe(first.text);
  expect((await embed(['a cat'], { encoding_format: 'base64' })).headers['x-cached-inputs']).toBe('0');
  const grpc = `http://127.0.0.1:${grpcPort}/encoder.SentenceEmbedding/Predict`;
  const [once, again] = [await post(grpc, { inputs: ['a cow'] }), await post(grpc, { inputs: ['a cow'] })];
  expect([once.status, again.text]).toEqual([200, once.text]);

  const { text } = await ask(`${url}/metrics`);
  expect(text).toContain('encoder_cached_inputs_total 5\n');
  expect(text).toMatch(/^encoder_cache_bytes [1-9]\d+$/m);
  const plain = await serve(arm, 'sentence');
  const without = await post(`${plain.url}/v1/embeddings`, { model: 'model', input: ['a cat'] });
  expect(without.headers).not.toHaveProperty('x-cached-inputs');
});
