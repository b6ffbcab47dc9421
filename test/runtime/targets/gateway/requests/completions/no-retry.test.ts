import { afterAll, expect, test } from 'vitest';
import { RETRY_POLICY } from '#gateway/shared/retry-plan.ts';
import { startFixture } from '../../fixture-provider.ts';
import { chatBody } from '../../test-provider.ts';
import { CHAT } from './fixture-gateway.ts';
import { instanceOf, runGateway } from './running-gateway.ts';

const openai = await startFixture('openai');
const gateway = await runGateway({
  models: {
    providers: [instanceOf('openai', openai)],
    routing: {
      retry: { ...RETRY_POLICY, baseDelay: 1, maxDelay: 1 },
      retryBudget: { percent: 0, perSecond: 0.2 },
    },
  },
});
afterAll(() => gateway.stop());

const reasonOf = async (model: string, secret: string): Promise<string | null> =>
  (await gateway.post(CHAT, chatBody(model), secret)).headers.get('x-gateway-no-retry');

test('an error header contains the reason why the request was not retried, and a metric counts exhausted retry budgets', async () => {
  const secret = await gateway.key();
  expect(await reasonOf('openai:fails-400', secret)).toBe('not_retryable');
  expect(await reasonOf('openai:rate-limited', secret)).toBe('long_pause');
  // Two retries in 10 seconds are allowed.
  expect(await reasonOf('openai:fails-500', secret)).toBe('attempts_used');
  expect(await reasonOf('openai:fails-500', secret)).toBe('budget_spent');
  expect(await reasonOf('openai:fails-503', secret)).not.toBe('budget_spent');
  expect(await reasonOf('openai:good', secret)).toBeNull();
  const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
  expect(metrics).toContain('gateway_retries_withheld_total{provider="openai",model="fails-500"} 1');
});

test('the error header also reports an open circuit breaker as the reason', async () => {
  const secret = await gateway.key();
  const reasons: (string | null)[] = [];
  for (let request = 0; request < 8; request += 1) reasons.push(await reasonOf('openai:fails-500', secret));
  expect(reasons.at(-1)).toBe('breaker_open');
});
