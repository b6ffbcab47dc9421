import { expect, test } from 'vitest';
import { startToolGateway } from './tool-gateway.ts';

const TEXT = 'Edit /tmp/desk/notes.txt';
const DONE = 'Done: the notes are edited and stamped.';
const SERVER = { type: 'mcp', server_label: 'desk' };
const messages = [{ role: 'user', content: TEXT }];

type Json = Readonly<Record<string, unknown>>;

const chat = (model: string, more: Json = {}): readonly [string, Json] => [
  '/v1/chat/completions',
  { model, messages, tools: [SERVER], ...more },
];
const responses = (model: string, more: Json = {}): readonly [string, Json] => [
  '/v1/responses',
  { model, input: messages, tools: [SERVER], ...more },
];

const rounds = await startToolGateway({ tools: { maxRounds: 2 } });
const cheap = await startToolGateway({ tools: { maxCost: 1n } });
const short = await startToolGateway({ tools: { maxMs: 1 } });

test('on the maximum number of rounds, each API ends with a reason', async () => {
  const { gateway, someone, model } = rounds;
  const { secret, userId } = await someone();
  const text = async (path: string, body: Json): Promise<string> =>
    await (await gateway.post(path, body, secret)).text();
  const stop = '"reason":"max_rounds","message":"The limit of 2 model calls is reached."';
  for (const stream of [false, true]) {
    const answer = await text(...chat('openai:model-1', { stream }));
    expect(answer).toContain('"finish_reason":"length"');
    expect(answer).toContain(`"mcp_stop":{${stop}}`);
    expect(await text(...responses('openai:model-1', { stream }))).toContain(
      `"status":"incomplete","error":null,"incomplete_details":{${stop}}`,
    );
    const body = { model: 'anthropic:model-1', stream, max_tokens: 1000, messages, tools: [SERVER] };
    const said = await text('/v1/messages', body);
    expect(said).toContain('"stop_reason":"pause_turn"');
    expect(said).toContain(stop);
    const method = stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
    const contents = [{ role: 'user', parts: [{ text: TEXT }] }];
    expect(await text(`/v1beta/models/gemini:model-1:${method}`, { contents, tools: [SERVER] })).toContain(
      '"finishMessage":"The limit of 2 model calls is reached."',
    );
  }
  expect(await gateway.usage(userId)).toHaveLength(16);
  expect((await model.book('model-1')).answers).toBe(16);
});

test('a paused message continues', async () => {
  const { gateway, someone, desk } = rounds;
  const { secret } = await someone();
  const before = desk.calls.length;
  const body = { model: 'anthropic:model-2', max_tokens: 1000, messages, tools: [SERVER] };
  let turns: readonly Json[] = messages;
  let answer: Json = {};
  for (let count = 0; count < 4 && answer['stop_reason'] !== 'end_turn'; count += 1) {
    answer = (await (
      await gateway.post('/v1/messages', { ...body, messages: turns }, secret)
    ).json()) as Json;
    turns = [...turns, { role: 'assistant', content: answer['content'] }];
  }
  expect(JSON.stringify(answer)).toContain(DONE);
  expect(desk.calls.slice(before).map((call) => call.split(' ')[0])).toEqual([
    'read_file',
    'read_file',
    'stamp',
  ]);
});

test('the maximum cost and the maximum time end the response', async () => {
  for (const [{ gateway, someone, desk }, reason] of [
    [cheap, 'max_cost'],
    [short, 'max_time'],
  ] as const) {
    const { secret, userId } = await someone();
    const answer = await gateway.post(...chat('openai:model-1'), secret);
    expect(await answer.text()).toContain(`"reason":"${reason}"`);
    expect(await gateway.usage(userId)).toHaveLength(1);
    expect(desk.calls).toHaveLength(0);
  }
});

test('an exceeded budget ends the loop before the next model call', async () => {
  const { gateway, someone, model } = rounds;
  const { secret, userId } = await someone({ budget: { max_budget: 0.012 } });
  const answer = await gateway.post(...chat('openai:model-3', { max_tokens: 300 }), secret);
  const { error } = (await answer.json()) as { readonly error: Json };
  expect([answer.status, error['code']]).toEqual([403, 'estimate_exceeds_budget']);
  expect((await model.book('model-3')).answers).toBe(1);
  const rows = await gateway.usage(userId);
  expect(rows.filter(({ status }) => status === 'success')).toHaveLength(1);
});
