import { expect, onTestFinished, test } from 'vitest';
import { AppError } from '#contract/errors.ts';
import { statusOfError } from '#gateway/requests/completions/budget-errors.ts';
import { startHeld } from '../../held-provider.ts';
import { chatBody } from '../../test-provider.ts';
import { CHAT, errorIn } from './fixture-gateway.ts';
import { priced, runGateway } from './running-gateway.ts';

const held = await startHeld();
const MODEL = 'held:any';
const BUDGET = 0.0005;
/** Estimated at 9 x 10 + 8 x 30 = 330 millionths of a dollar: the budget covers one request at a time. */
const MAX_TOKENS = 8;
const messages = [{ role: 'user', content: 'Hello' }];
/** Paths, with the status and type of an error that a retry cannot fix (docs/decisions/0136). */
const WIRES: readonly [path: string, status: number, type: string, body: (maxTokens: number) => unknown][] = [
  [CHAT, 403, 'invalid_request_error', (max_tokens) => chatBody(MODEL, { max_tokens })],
  ['/v1/messages', 402, 'billing_error', (max_tokens) => ({ model: MODEL, max_tokens, messages })],
  [
    '/v1/responses',
    429,
    'insufficient_quota',
    (max_output_tokens) => ({ model: MODEL, input: 'Hello', max_output_tokens }),
  ],
  [
    '/openai/v1/responses',
    429,
    'insufficient_quota',
    (max_output_tokens) => ({ model: MODEL, input: 'Hello', max_output_tokens }),
  ],
];
const ANSWER = {
  id: 'x',
  object: 'chat.completion',
  created: 1,
  model: 'any',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hi' } }],
  usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
};

async function start() {
  const gateway = await runGateway({
    models: {
      providers: [{ name: 'held', type: 'openai', baseUrl: held.url, local: true }],
      pricing: [priced(MODEL, 10, 30)],
    },
  });
  onTestFinished(() => gateway.stop());
  await gateway.user('ann');
  const secret = await gateway.key({ user_id: 'ann', key_name: 'small', budget: { max_budget: BUDGET } });
  return { gateway, secret };
}

test.each(WIRES)(
  '%s: a fully reserved budget returns 429 until the request finishes',
  async (path, status, type, body) => {
    const { gateway, secret } = await start();
    const ask = async (maxTokens = MAX_TOKENS) => await gateway.post(path, body(maxTokens), secret);
    const first = ask();
    const answer = await held.next();
    const refused = await ask();
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(await errorIn(refused)).toMatchObject({
      status: 429,
      code: 'budget_reserved',
      message:
        "API key 'small' has $0.00017 of the budget left while $0.00033 is reserved for requests in flight, and this request can cost up to $0.00033. Retry when those requests have finished.",
    });
    answer.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(ANSWER));
    expect((await first).status).toBe(200);
    const second = ask();
    (await held.next()).writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(ANSWER));
    expect((await second).status).toBe(200);
    // 0.00032 is spent, so a retry cannot help.
    const tooLarge = await ask();
    expect(tooLarge.headers.get('retry-after')).toBeNull();
    expect(tooLarge.headers.get('x-should-retry')).toBe('false');
    expect(await tooLarge.clone().json()).toMatchObject({ error: { type } });
    expect(await errorIn(tooLarge)).toMatchObject({
      status,
      code: 'estimate_exceeds_budget',
      message:
        "API key 'small' has $0.00018 of the budget left, and this request can cost up to $0.00033. Lower its maximum output tokens, or raise the budget.",
    });
    expect(await errorIn(await ask(100))).toMatchObject({
      status,
      code: 'estimate_exceeds_budget',
      message:
        "API key 'small' has a budget of $0.0005, and this request can cost up to $0.00309. Lower its maximum output tokens, or raise the budget.",
    });
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
    expect(metrics).toContain('gateway_budget_reserved_total 1\n');
    expect(metrics).toContain('gateway_budget_exceeded_total 2\n');
    expect(metrics).toContain(`endpoint="${path}",status="${status}"} ${status === 429 ? 3 : 2}\n`);
  },
);

test("the status of a budget error depends on the client's protocol", () => {
  const error = new AppError('ForbiddenError', 'x', { reason: 'budget_exceeded' });
  expect([CHAT, '/v1/messages', '/v1/responses'].map((path) => statusOfError(error, path))).toEqual([
    403, 402, 429,
  ]);
  expect(statusOfError(new AppError('ForbiddenError', 'x'), '/v1/messages')).toBe(403);
});
