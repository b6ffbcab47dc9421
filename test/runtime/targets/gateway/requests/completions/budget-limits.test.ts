import { afterAll, expect, test } from 'vitest';
import { RETRY_POLICY } from '#gateway/shared/retry-plan.ts';
import { startFixture } from '../../fixture-provider.ts';
import { chatBody } from '../../test-provider.ts';
import { CHAT, errorIn } from './fixture-gateway.ts';
import { instanceOf, priced, runGateway } from './running-gateway.ts';

const [openai, anthropic] = [await startFixture('openai'), await startFixture('anthropic')];
const gateway = await runGateway({
  models: {
    providers: [instanceOf('openai', openai), instanceOf('anthropic', anthropic)],
    aliases: [{ name: 'best', targets: [{ model: 'openai:fails-500' }], fallbacks: ['anthropic:good'] }],
    pricing: [
      priced('openai:good', 10, 30),
      priced('openai:fails-500', 10, 30),
      priced('anthropic:good', 10_000, 30_000),
    ],
    routing: { retry: { ...RETRY_POLICY, retries: 0 } },
  },
});
afterAll(() => gateway.stop());

test('limits for models and windows apply to requests, and their spending is in the key’s quota', async () => {
  const { budget_id } = await gateway.admin('POST', '/v1/budgets', {
    limits: [
      { max_budget: 2, budget_duration_sec: 18_000, models: ['anthropic:*'] },
      { max_budget: 100, calendar: 'week' },
    ],
  });
  await gateway.user('ada', { budget_id });
  const secret = await gateway.key({
    user_id: 'ada',
    budget: { limits: [{ max_budget: 50, calendar: 'month' }] },
  });
  const ask = async (model: string) => await gateway.post(CHAT, chatBody(model, { max_tokens: 20 }), secret);
  expect((await ask('openai:good')).status).toBe(200);
  // The fallback responds, and is charged to the limit for its provider.
  expect((await ask('best')).status).toBe(200);
  const rows = await gateway.usage('ada');
  const costOf = (model: string): number =>
    rows.filter((row) => row.model === model).reduce((sum, { cost }) => sum + (cost ?? 0), 0);
  const claude = costOf('anthropic:good');
  expect(claude).toBeGreaterThan(0);
  const quota = async () => {
    const response = await fetch(`${gateway.url}/v1/keys/me`, {
      headers: { authorization: `Bearer ${secret}` },
    });
    return ((await response.json()) as { quota: { limits: Record<string, unknown>[] } }).quota.limits;
  };
  const [ofKey, ofClaude, ofWeek] = await quota();
  const total = expect.closeTo(claude + costOf('openai:good'), 9);
  expect(ofKey).toMatchObject({
    name: expect.stringContaining('(limit of $50.00 per month (UTC))'),
    models: null,
    max_budget: 50,
    spend: total,
  });
  expect(ofClaude).toMatchObject({
    name: "User 'ada' (limit of $2.00 per 5h for anthropic:*)",
    models: ['anthropic:*'],
    spend: claude,
    reserved: 0,
  });
  expect(ofWeek).toMatchObject({
    name: "User 'ada' (limit of $100.00 per week (UTC))",
    models: null,
    max_budget: 100,
    spend: total,
    reserved: 0,
  });

  for (let time = 0; (await ask('anthropic:good')).status === 200; time += 1) expect(time).toBeLessThan(20);
  const refused = await ask('best');
  expect(refused.headers.get('retry-after')).toMatch(/^1[78]\d{3}$/);
  expect(await errorIn(refused)).toMatchObject({
    status: 403,
    code: expect.stringMatching(/^(?:budget_exceeded|estimate_exceeds_budget)$/),
    message: expect.stringMatching(
      /^User 'ada' \(limit of \$2\.00 per 5h for anthropic:\*\) has .*This limit resets at 20/,
    ),
  });
  expect((await ask('openai:good')).status).toBe(200);
  expect((await quota()).map(({ reserved }) => reserved)).toEqual([0, 0, 0]);
});
