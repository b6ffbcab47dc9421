import { expect, test } from 'vitest';
import { compileLinearPattern } from '#platform/linear-pattern.ts';
import { NO_PROMPTS } from '#gateway/providers/shapes/policies.ts';
import { describeDatabases } from '../databases.ts';
import { MASTER_KEY } from '../master-key.ts';
import { startScripted } from '../scripted-provider.ts';
import { providerOf } from '../test-provider.ts';
import { gatewayOn, type OpenGateway } from './open-gateway.ts';

const scripted = await startScripted();
const answer = (content: string) => ({
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 2 },
});
const piece = (content: string, finish: string | null = null) => ({
  choices: [{ index: 0, delta: { content }, finish_reason: finish }],
});
const POLICY = { ...NO_PROMPTS, patterns: [compileLinearPattern(String.raw`[\w.]+@[\w.]+`)] };

describeDatabases((database) => {
  const start = async (policy = POLICY) => {
    const { clock, ...state } = await database.start();
    const providers = [providerOf('openai', scripted.provider)];
    const gateway = gatewayOn(state, clock, { providers, prompts: policy });
    return { ...gateway, state };
  };
  const chat = async (
    { request }: OpenGateway,
    key: string,
    content: string,
    id: string,
    more: object = {},
  ) => {
    const { status, text } = await request('/v1/chat/completions', {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', 'X-Request-Id': id },
      body: JSON.stringify({ model: 'openai:m', messages: [{ role: 'user', content }], ...more }),
    });
    return { status, text };
  };
  const newKey = async ({ ask }: OpenGateway, fields: object): Promise<string> =>
    (await ask('POST', '/v1/keys', { user_id: 'ada', ...fields })).body.key;
  const list = async ({ ask, promptsWritten }: OpenGateway, query = '') => {
    await promptsWritten();
    return (await ask('GET', `/v1/admin/prompts${query}`)).body;
  };

  test('requests and responses are stored without secrets, and only for keys with logging', async () => {
    const gateway = await start();
    const [off, on] = [await newKey(gateway, {}), await newKey(gateway, { log_prompts: true })];
    scripted.says(answer(`Write to bob@example.com, not to ${MASTER_KEY}.`));
    await chat(gateway, off, 'not stored', 'r-0');
    const content = `I am\nann@example.com, ${MASTER_KEY} ${on} sk-abcdefghijklmnopqrstuvwx`;
    const tools = [{ type: 'mcp', server_label: 's', server_url: 'http://s', authorization: 'secret-1' }];
    const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(400)}` } };
    expect((await chat(gateway, on, content, 'r-1', { tools, extra: [image] })).status).toBe(200);
    scripted.says([piece('Hel'), piece('lo bob@exam'), piece('ple.com', 'stop'), '[DONE]']);
    expect((await chat(gateway, on, 'stream', 'r-2', { stream: true })).text).toContain('[DONE]');

    const { total, items } = await list(gateway);
    const ids = items.map(({ request_id: id }: { request_id: string }) => id);
    expect([total, ids.toSorted()]).toEqual([2, ['r-1', 'r-2']]);
    expect(items[0]).toMatchObject({
      user_id: 'ada',
      model: 'openai:m',
      status: 'success',
      truncated: false,
    });
    expect(items[0]).not.toHaveProperty('request');
    const { body: usage } = await gateway.ask('GET', '/v1/usage?request_id=r-1');
    expect(usage.logs).toHaveLength(1);

    const { body: stored } = await gateway.ask('GET', '/v1/admin/prompts/r-1');
    expect(stored).toHaveLength(1);
    expect(JSON.parse(stored[0].request)).toMatchObject({
      messages: [{ content: 'I am\n[redacted], [redacted] [redacted] [redacted]' }],
      tools: [{ authorization: '[redacted]', server_label: 's' }],
      extra: [{ image_url: { url: '[422 characters]' } }],
    });
    expect(stored[0].answer).toBe('Write to [redacted], not to [redacted].');
    const { body: streamed } = await gateway.ask('GET', '/v1/admin/prompts/r-2');
    expect(streamed[0].answer).toBe('Hello [redacted]');
    expect((await gateway.ask('GET', '/v1/admin/audit?action=prompt.read')).body.total).toBe(2);
    expect((await gateway.ask('GET', '/v1/admin/prompts/r-0')).status).toBe(404);
    expect((await gateway.request('/v1/admin/prompts')).status).toBe(401);
    expect((await list(gateway, '?request_id=r-2')).total).toBe(1);
    expect((await list(gateway, '?user_id=bob')).total).toBe(0);
  });

  test('the default applies to keys without a setting, failed requests are stored, and long prompts and responses are truncated', async () => {
    const gateway = await start({ ...POLICY, isDefault: true, maxCharacters: 40 });
    const [byDefault, off] = [await newKey(gateway, {}), await newKey(gateway, { log_prompts: false })];
    scripted.says({ error: { message: 'no' } });
    expect((await chat(gateway, byDefault, 'fails', 'r-1')).status).toBe(502);
    await chat(gateway, off, 'not stored', 'r-2');
    scripted.says(answer('x'.repeat(39) + '🙂'));
    await chat(gateway, byDefault, 'y'.repeat(100), 'r-3');
    expect((await list(gateway)).items).toHaveLength(2);
    expect((await gateway.ask('GET', '/v1/admin/prompts/r-1')).body).toMatchObject([
      { status: 'error', answer: null, truncated: true },
    ]);
    const [long] = (await gateway.ask('GET', '/v1/admin/prompts/r-3')).body;
    expect(long).toMatchObject({ answer: 'x'.repeat(39), truncated: true });
    expect(long.request).toHaveLength(40);
  });

  test('a failed write does not affect the request, and old prompts are deleted', async () => {
    const gateway = await start({ ...POLICY, isDefault: true });
    const key = await newKey(gateway, {});
    scripted.says(answer('hi'));
    for (let count = 0; count < 3; count += 1) await chat(gateway, key, 'x', `r-${count}`);
    await gateway.promptsWritten();
    gateway.clock.advance(86_400_000);
    await chat(gateway, key, 'x', 'new');
    await gateway.promptsWritten();
    await gateway.state.promptLog.prune(gateway.clock.wholeNow() - 1000);
    expect((await list(gateway)).items).toMatchObject([{ request_id: 'new' }]);

    await gateway.state.store.db.schema.dropTable('gateway_prompts').execute();
    expect((await chat(gateway, key, 'x', 'r-9')).status).toBe(200);
    await gateway.promptsWritten();
    expect(gateway.kernel.logged).toContainEqual(expect.objectContaining({ msg: 'prompts not stored' }));
  });
});
