import { describe, expect, test } from 'vitest';
import { readAnswer, shownAnswer, toolAgreement } from '#gateway/requests/shadow/read-answer.ts';

const whole = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
const stream = (...events: unknown[]): Buffer =>
  Buffer.from(
    `${events.map((event) => `event: x\ndata: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`,
  );

const ANSWER = {
  text: 'Hello world',
  toolCalls: [{ name: 'weather', arguments: '{"city":"Bern","days":3}' }],
};

describe('readAnswer', () => {
  test('chat completions', () => {
    const call = { function: { name: 'weather', arguments: '{ "days": 3, "city": "Bern" }' } };
    const message = { content: 'Hello world', tool_calls: [call] };
    expect(readAnswer('/v1/chat/completions', whole({ choices: [{ message }] }))).toEqual(ANSWER);
    const delta = (value: object) => ({ choices: [{ delta: value }] });
    const events = [
      delta({ role: 'assistant', content: 'Hello ' }),
      delta({ content: 'world' }),
      delta({ tool_calls: [{ index: 0, id: 'c', function: { name: 'weather', arguments: '{"city":' } }] }),
      delta({ tool_calls: [{ index: 0, function: { arguments: '"Bern","days":3}' } }] }),
      { choices: [] },
    ];
    expect(readAnswer('/v1/chat/completions', stream(...events))).toEqual(ANSWER);
  });

  test('messages', () => {
    const content = [
      { type: 'thinking', thinking: 'hm' },
      { type: 'text', text: 'Hello world' },
      { type: 'tool_use', name: 'weather', input: { days: 3, city: 'Bern' } },
    ];
    expect(readAnswer('/v1/messages', whole({ type: 'message', content }))).toEqual(ANSWER);
    const events = [
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello ' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'world' } },
      {
        type: 'content_block_start',
        index: 1,
        content_block: { type: 'tool_use', name: 'weather', input: {} },
      },
      {
        type: 'content_block_delta',
        index: 1,
        delta: { type: 'input_json_delta', partial_json: '{"city":"Bern"' },
      },
      {
        type: 'content_block_delta',
        index: 1,
        delta: { type: 'input_json_delta', partial_json: ',"days":3}' },
      },
    ];
    expect(readAnswer('/v1/messages', stream(...events))).toEqual(ANSWER);
  });

  test('responses', () => {
    const response = {
      output: [
        { type: 'reasoning' },
        { type: 'message', content: [{ type: 'output_text', text: 'Hello world' }] },
        { type: 'function_call', name: 'weather', arguments: '{"city":"Bern","days":3}' },
      ],
    };
    expect(readAnswer('/v1/responses', whole(response))).toEqual(ANSWER);
    const events = [
      { type: 'response.output_text.delta', delta: 'Hello world' },
      { type: 'response.completed', response },
    ];
    expect(readAnswer('/v1/responses', stream(...events))).toEqual(ANSWER);
  });

  test('Gemini', () => {
    const parts = [
      { text: 'hm', thought: true },
      { text: 'Hello world' },
      { functionCall: { name: 'weather', args: { days: 3, city: 'Bern' } } },
    ];
    const value = { candidates: [{ content: { parts } }] };
    expect(readAnswer('/v1beta/models/{model}:generateContent', whole(value))).toEqual(ANSWER);
    const events = parts.map((part) => ({ candidates: [{ content: { parts: [part] } }] }));
    expect(readAnswer('/v1beta/models/{model}:streamGenerateContent', stream(...events))).toEqual(ANSWER);
  });

  test.each([
    ['no JSON', Buffer.from('<html>')],
    ['an empty response', whole({ choices: [{ message: { content: '' } }] })],
    ['other members', whole({ choices: 'x', content: { a: 1 } })],
  ])('a response without text and tool calls is undefined: %s', (_name, bytes) => {
    expect(readAnswer('/v1/chat/completions', bytes)).toBeUndefined();
  });

  test('other endpoints are not read', () => {
    expect(readAnswer('/v1/embeddings', whole({ data: [] }))).toBeUndefined();
  });
});

test('a judge sees tool calls as text', () => {
  expect(shownAnswer(ANSWER)).toBe('Hello world\n[calls the tool weather with {"city":"Bern","days":3}]');
});

describe('toolAgreement', () => {
  const call = (name: string, input = '{}') => ({ name, arguments: input });

  test.each([
    ['no calls', [], [], 1],
    ['equal calls in another order', [call('a'), call('b')], [call('b'), call('a')], 1],
    ['other arguments', [call('a', '{"x":1}')], [call('a', '{"x":2}')], 0.5],
    ['other tools', [call('a')], [call('b')], 0],
    ['a missing call', [call('a'), call('b')], [call('a')], 2 / 3],
    ['a call instead of a text', [], [call('a')], 0],
    ['one call for two', [call('a'), call('a')], [call('a')], 2 / 3],
    ['equal calls before others of the tool', [call('a', '1'), call('a', '2')], [call('a', '2')], 2 / 3],
    [
      'some equal calls and some of the tool',
      [call('a', '1'), call('a', '2'), call('b')],
      [call('a', '2'), call('a', '3'), call('c')],
      (2 * 1.5) / 6,
    ],
  ])('%s', (_name, one, other, expected) => {
    expect(toolAgreement(one, other)).toBeCloseTo(expected);
  });
});
