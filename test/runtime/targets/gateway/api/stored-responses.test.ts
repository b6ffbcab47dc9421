import { afterAll, expect, test } from 'vitest';
import { openStoredGateway } from './stored-gateway.ts';

const { gateway, as, finish, usageOf, reservedOf } = await openStoredGateway();
afterAll(() => gateway.close());

const ask = async (name: string, more: object) =>
  await gateway.ask('POST', '/v1/responses', { model: 'fast', input: 'Hello', ...more }, as(name));

test('a stored response belongs to its user', async () => {
  const { body: response } = await ask('ann', { store: true });
  const get = (name: string, path = '') =>
    gateway.ask('GET', `/v1/responses/${response.id}${path}`, undefined, as(name));
  expect((await get('ann', '?include[]=x')).body).toMatchObject({
    id: response.id,
    output: response.output,
  });
  expect((await get('ann', '/input_items')).body.data).toMatchObject([{ content: 'Hello' }]);
  for (const refused of [
    await get('bob'),
    await get('bob', '/input_items'),
    await gateway.ask('DELETE', `/v1/responses/${response.id}`, undefined, as('bob')),
    await ask('bob', { previous_response_id: response.id }),
  ])
    expect([refused.status, refused.body.error.code]).toEqual([404, 'response_not_found']);
  expect((await ask('ann', { previous_response_id: response.id })).status).toBe(200);
  const deleted = await gateway.ask('DELETE', `/v1/responses/${response.id}`, undefined, as('ann'));
  expect(deleted.body).toMatchObject({ deleted: true });
  expect((await get('ann')).status).toBe(404);
});

test('a conversation stays with the provider that has it, whatever variant of an A/B test its user has', async () => {
  const continued = async (model: string, id: string) => {
    const answer = await ask('ann', { model, previous_response_id: id, store: true });
    const requestId = answer.headers.get('x-request-id');
    const row = (await usageOf('ann')).find(({ request_id: one }) => one === requestId);
    return [answer.status, answer.headers.get('x-gateway-variant'), row?.['model']];
  };
  // The conversation is older than the test.
  const { body: older } = await ask('ann', { store: true });
  expect(await continued('tested', older.id)).toEqual([200, null, 'openai:gpt-4o-mini']);
  const newer = await ask('ann', { model: 'tested', store: true });
  expect(newer.headers.get('x-gateway-variant')).toBe('candidate');
  expect(await continued('tested', newer.body.id)).toEqual([200, 'candidate', 'other:gpt-4o-mini']);
});

test('a background response is billed when it finishes', async () => {
  const rows = async () => (await usageOf('ann')).filter(({ endpoint }) => endpoint === '/v1/responses');
  const before = (await rows()).length;
  const { body: response } = await ask('ann', { background: true, max_output_tokens: 100 });
  expect([response.status, (await rows()).length]).toEqual(['queued', before]);
  expect(await reservedOf('ann')).toBeGreaterThan(60_000n);
  const path = `/v1/responses/${response.id}`;
  expect((await gateway.ask('DELETE', path, undefined, as('ann'))).body.error.code).toBe(
    'response_in_progress',
  );
  await finish();
  expect((await gateway.ask('GET', path, undefined, as('ann'))).body.status).toBe('completed');
  const used = await rows();
  expect(used).toHaveLength(before + 1);
  expect(used.find(({ request_id: id }) => id === response.id)).toMatchObject({
    prompt_tokens: 21,
    completion_tokens: 9,
    cost: (17 * 0.15 + 4 * 0.075 + 9 * 0.6) / 1e6,
  });
  expect(await reservedOf('ann')).toBe(0n);
  const events = await gateway.ask('GET', `${path}?stream=true&starting_after=1`, undefined, as('ann'));
  expect(events.text.match(/^event: .*$/gm)).toEqual(['event: response.completed']);

  const { body: second } = await ask('ann', { background: true });
  const cancelled = await gateway.ask('POST', `/v1/responses/${second.id}/cancel`, undefined, as('ann'));
  expect(cancelled.body.status).toBe('cancelled');
  expect(await reservedOf('ann')).toBe(0n);
  expect(await rows()).toHaveLength(before + 2);
});
