import { afterAll, expect, test } from 'vitest';
import { tagsOf } from '#gateway/requests/completions/read-request.ts';
import { startFixture } from '../../fixture-provider.ts';
import { chatBody } from '../../test-provider.ts';
import { errorIn } from './fixture-gateway.ts';
import { instanceOf, MASTER, runGateway } from './running-gateway.ts';

const fixture = await startFixture('openai');
const gateway = await runGateway({ models: { providers: [instanceOf('openai', fixture)] } });
afterAll(() => gateway.stop());
await gateway.user('ann');
const secret = await gateway.key({ user_id: 'ann' });
const CHAT = '/v1/chat/completions';

test('tags come from the header and from metadata, and only other metadata is sent to the provider', async () => {
  const body = { ...chatBody('openai:good'), metadata: { tags: ['b', 'c'], run: '7' } };
  const answer = await gateway.post(CHAT, body, secret, { headers: { 'X-Gateway-Tags': ' a, b ,' } });
  expect(answer.status).toBe(200);
  const [row] = await gateway.usage('ann');
  expect(row).toMatchObject({ tags: ['a', 'b', 'c'] });
  const recorded = JSON.stringify(await fixture.last());
  expect(recorded).toContain('run');
  expect(recorded).not.toMatch(/"tags|x-gateway-tags/i);
});

test('an invalid tag is rejected without calling a provider', async () => {
  const refuse = async (tags: unknown, header = '') =>
    await errorIn(
      await gateway.post(CHAT, { ...chatBody('openai:good'), metadata: { tags } }, secret, {
        headers: { 'X-Gateway-Tags': header },
      }),
    );
  expect(await refuse(['ok', 5])).toMatchObject({
    status: 422,
    message: expect.stringMatching(/^Invalid tag 5: expected 1 to 64 letters/),
  });
  expect(await refuse([], 'a"b')).toMatchObject({ status: 422 });
  const many = Array.from({ length: 11 }, (_, index) => `t${index}`);
  expect(await refuse(many)).toMatchObject({ message: 'The request has 11 tags; the maximum is 10.' });
});

test("a tag's budget limits all users who send it", async () => {
  const { budget_id: id } = await gateway.admin('POST', '/v1/budgets', { max_budget: 0.000001 });
  const price = { model_key: 'openai:good', input_price_per_million: 1, output_price_per_million: 2 };
  await gateway.admin('POST', '/v1/pricing', price);
  await gateway.admin('PUT', '/v1/tags/team%2Fsmall', { budget_id: id });
  const ask = async (tags: string[], key = secret) =>
    await gateway.post(CHAT, { ...chatBody('openai:good'), user: 'ann', metadata: { tags } }, key);
  for (const key of [secret, MASTER])
    expect(await errorIn(await ask(['team/small'], key))).toMatchObject({
      status: 403,
      code: 'estimate_exceeds_budget',
      message: expect.stringMatching(/^Tag 'team\/small' has a budget of \$0\.000001/),
    });
  expect((await ask(['team/large'])).status).toBe(200);
  await gateway.admin('DELETE', '/v1/tags/team%2Fsmall');
  expect((await ask(['team/small'])).status).toBe(200);
});

test('metadata without a list of tags is not changed', () => {
  const headers = new Headers();
  for (const metadata of [undefined, null, 'x', { tags: 'a,b' }, { user_id: 'ada' }])
    expect(tagsOf(headers, { metadata })).toEqual({ tags: [] });
  expect(tagsOf(headers, { metadata: { tags: [] } })).toEqual({ tags: [], metadata: null });
});
