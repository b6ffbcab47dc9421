import { expect, test } from 'vitest';
import { indexRequests } from '#gateway/accounts/feedback/feedback-log.ts';
import { compileLinearPattern } from '#platform/linear-pattern.ts';
import { NO_PROMPTS } from '#gateway/providers/shapes/policies.ts';
import { describeDatabases } from '../databases.ts';
import { MASTER_KEY } from '../master-key.ts';
import { startScripted } from '../scripted-provider.ts';
import { providerOf } from '../test-provider.ts';
import { gatewayOn } from './open-gateway.ts';
import { type Headers, keysOf, withKey } from './tenants/keys-of.ts';

const scripted = await startScripted();
const POLICY = { ...NO_PROMPTS, patterns: [compileLinearPattern(String.raw`[\w.]+@[\w.]+`)] };

describeDatabases((database) => {
  const start = async () => {
    const { clock, ...state } = await database.start();
    const providers = [providerOf('openai', scripted.provider)];
    const gateway = gatewayOn(state, clock, { providers, prompts: POLICY });
    scripted.says({
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 3, completion_tokens: 2 },
    });
    const chat = async (as: Headers, id: string, model = 'openai:m') => {
      const body = { model, messages: [{ role: 'user', content: 'Hi' }] };
      const { status } = await gateway.ask('POST', '/v1/chat/completions', body, {
        ...as,
        'X-Request-Id': id,
      });
      expect(status).toBe(200);
    };
    const give = async (as: Headers, body: object) => await gateway.ask('POST', '/v1/feedback', body, as);
    const list = async (as: Headers, query = '') =>
      (await gateway.ask('GET', `/v1/feedback${query}`, undefined, as)).body;
    return { gateway, state, clock, chat, give, list, ...keysOf(gateway) };
  };
  const MASTER = withKey(MASTER_KEY);

  test('the key of a request judges it, sending feedback again replaces it, and secrets are removed', async () => {
    const { chat, give, list, issued } = await start();
    const ada = await issued({ user_id: 'ada' });
    await chat(ada, 'r-1');
    const first = await give(ada, { request_id: 'r-1', thumb: 'up' });
    expect(first.status, first.text).toBe(200);
    const text = `Not for bob@example.com or ${MASTER_KEY}.`;
    const { body } = await give(ada, { request_id: 'r-1', thumb: 'down', score: 0.25, label: 'wrong', text });
    expect(body).toMatchObject({
      id: first.body.id,
      request_id: 'r-1',
      author: 'ada',
      thumb: 'down',
      score: 0.25,
      label: 'wrong',
      text: 'Not for [redacted] or [redacted].',
      expected_output: null,
      user_id: 'ada',
      model: 'openai:m',
      endpoint: '/v1/chat/completions',
    });
    await give(MASTER, { request_id: 'r-1', expected_output: 'Bonjour' });
    expect(await list(MASTER)).toMatchObject({ total: 2 });
    expect(await list(MASTER, '?thumb=down&label=wrong&request_id=r-1')).toMatchObject({ total: 1 });
    // A reviewer's judgement is not shown to the key.
    expect(await list(ada)).toMatchObject({ total: 1, items: [{ author: 'ada' }] });
  });

  test('other callers cannot judge a request, not even with a request of theirs that has the same ID', async () => {
    const { gateway, chat, give, list, issued, session } = await start();
    const [ada, eve] = [await issued({ user_id: 'ada' }), await issued({ user_id: 'eve' })];
    const second = await issued({ user_id: 'ada' });
    await chat(ada, 'r-1');
    for (const other of [eve, second, await session('eve')]) {
      const { status, body } = await give(other, { request_id: 'r-1', thumb: 'down' });
      expect([status, body.detail ?? body.error?.message]).toEqual([404, expect.stringContaining("'r-1'")]);
    }
    await chat(eve, 'r-1');
    expect((await give(eve, { request_id: 'r-1', thumb: 'down' })).body).toMatchObject({ user_id: 'eve' });
    expect((await give(ada, { request_id: 'r-1', thumb: 'up' })).body).toMatchObject({ user_id: 'ada' });
    expect((await give(await session('ada'), { request_id: 'r-1', thumb: 'up' })).status).toBe(200);
    const [{ id }] = (await list(ada)).items;
    for (const other of [eve, second, await session('eve')])
      expect((await gateway.ask('DELETE', `/v1/feedback/${id}`, undefined, other)).status).toBe(404);
    expect((await gateway.ask('DELETE', `/v1/feedback/${id}`, undefined, ada)).status).toBe(204);
    expect(await list(MASTER)).toMatchObject({ total: 1, items: [{ author: 'eve' }] });
  });

  test('a key cannot replace feedback on a request of another key of its user, not even with the same ID', async () => {
    const { chat, give, list, issued, session } = await start();
    const [first, second] = [await issued({ user_id: 'ada' }), await issued({ user_id: 'ada' })];
    await chat(first, 'r-1');
    await give(first, { request_id: 'r-1', thumb: 'up' });
    await chat(second, 'r-1');
    const { status, body } = await give(second, { request_id: 'r-1', thumb: 'down' });
    expect([status, body.error?.code]).toEqual([409, 'feedback_exists']);
    expect(await list(first)).toMatchObject({ total: 1, items: [{ thumb: 'up' }] });
    // The user can replace it.
    expect((await give(await session('ada'), { request_id: 'r-1', thumb: 'down' })).status).toBe(200);
    expect(await list(MASTER)).toMatchObject({ total: 1, items: [{ thumb: 'down' }] });
  });

  test('viewers read all feedback but only judge their own requests', async () => {
    const { gateway, chat, give, list, issued, session } = await start();
    await gateway.ask('POST', '/v1/users', { user_id: 'vera', role: 'viewer' });
    const [ada, vera] = [await issued({ user_id: 'ada' }), await session('vera')];
    await chat(ada, 'r-1');
    await chat(await issued({ user_id: 'vera' }), 'r-2');
    await give(ada, { request_id: 'r-1', thumb: 'up' });
    expect(await list(vera)).toMatchObject({ total: 1 });
    expect((await give(vera, { request_id: 'r-1', thumb: 'up' })).status).toBe(404);
    expect((await give(vera, { request_id: 'r-2', thumb: 'up' })).status).toBe(200);
    const [item] = (await list(vera, '?request_id=r-1')).items;
    expect((await gateway.ask('DELETE', `/v1/feedback/${item.id}`, undefined, vera)).status).toBe(404);
    expect((await gateway.ask('DELETE', `/v1/feedback/${item.id}`)).status).toBe(204);
    const { body } = await gateway.ask('GET', '/v1/admin/audit?action=feedback.delete');
    expect(body.items).toMatchObject([{ object: item.id }]);
  });

  test('rates by model, retention, and deletion with the user', async () => {
    const { gateway, state, clock, chat, give, list, issued } = await start();
    const [ada, bob] = [await issued({ user_id: 'ada' }), await issued({ user_id: 'bob' })];
    for (const [id, model] of [
      ['r-1', 'openai:m'],
      ['r-2', 'openai:m'],
      ['r-3', 'openai:other'],
    ] as const)
      await chat(ada, id, model);
    await chat(bob, 'r-4');
    await give(ada, { request_id: 'r-1', thumb: 'up', score: 4 });
    await give(ada, { request_id: 'r-2', thumb: 'down', score: 1 });
    await give(ada, { request_id: 'r-3', label: 'slow' });
    await give(bob, { request_id: 'r-4', thumb: 'up' });
    expect((await gateway.ask('GET', '/v1/usage/feedback')).body).toEqual([
      { model: 'openai:m', feedback: 3, up: 2, down: 1, up_rate: 2 / 3, scores: 2, mean_score: 2.5 },
      { model: 'openai:other', feedback: 1, up: 0, down: 0, up_rate: null, scores: 0, mean_score: null },
    ]);
    await gateway.ask('DELETE', '/v1/users/ada');
    expect(await list(MASTER)).toMatchObject({ total: 1, items: [{ author: 'bob' }] });
    clock.advance(86_400_000);
    await state.feedback.prune(clock.wholeNow() - 1000);
    expect(await list(MASTER)).toMatchObject({ total: 0 });
  });

  test('feedback is rejected unless it is enabled', async () => {
    const { clock, ...state } = await database.start();
    const { ask } = gatewayOn(state, clock, { hasFeedback: false });
    const { status, body } = await ask('POST', '/v1/feedback', { request_id: 'r-1', thumb: 'up' });
    expect([status, body.error]).toEqual([
      403,
      expect.objectContaining({
        code: 'feedback_disabled',
        message: expect.stringContaining('feedback.enabled'),
      }),
    ]);
  });

  test('the index that finds requests can be created more than once', async () => {
    const { state, chat, give, issued } = await start();
    await indexRequests(state.store);
    await indexRequests(state.store);
    const ada = await issued({ user_id: 'ada' });
    await chat(ada, 'r-1');
    expect((await give(ada, { request_id: 'r-1', thumb: 'up' })).status).toBe(200);
  });

  test('invalid feedback is rejected with the rule', async () => {
    const { chat, give, issued } = await start();
    const ada = await issued({ user_id: 'ada' });
    await chat(ada, 'r-1');
    for (const [body, rule] of [
      [{}, /Set thumb, score, label/],
      [{ score: 101 }, /100/],
      [{ thumb: 'sideways' }, /up/],
      [{ label: 'x'.repeat(101) }, /100/],
      [{ text: 'x'.repeat(10_001) }, /10000/],
      [{ stars: 3 }, /stars/],
    ] as const) {
      const { status, text } = await give(ada, { request_id: 'r-1', ...body });
      expect([status, text]).toEqual([422, expect.stringMatching(rule)]);
    }
  });
});
