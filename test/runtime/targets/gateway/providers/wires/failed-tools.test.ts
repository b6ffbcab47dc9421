import { expect, test } from 'vitest';
import { anthropicRequest } from '#gateway/providers/adapters/anthropic/request.ts';
import { geminiRequest } from '#gateway/providers/adapters/gemini/request.ts';
import { openAiRequest } from '#gateway/providers/adapters/openai/adapter.ts';
import { messagesWire } from '#gateway/providers/wires/messages/wire.ts';

test('a failed tool call is reported to the model as failed, on every provider', () => {
  const chat = messagesWire.toChat({
    model: 'm',
    max_tokens: 1,
    messages: [
      { role: 'user', content: 'x' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'call_1', name: 'weather', input: {} }] },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'call_1', content: 'no such city', is_error: true }],
      },
    ],
  });
  const dialect = { maxTokens: 'max_tokens', streamUsage: false, hasResponses: false } as const;
  expect(openAiRequest(chat, 'm', dialect)['messages']).toContainEqual({
    role: 'tool',
    tool_call_id: 'call_1',
    content: 'Error: no such city',
  });
  expect(JSON.stringify(anthropicRequest(chat, 'm'))).toContain('"is_error":true');
  expect(JSON.stringify(geminiRequest(chat, 'm'))).toContain('"response":{"error":"no such city"}');
});

test('a text without citations omits `citations` instead of setting it to null', () => {
  const message = { role: 'assistant', content: 'Hello' };
  const answer = messagesWire.fromChat(
    {
      id: 'x',
      object: 'chat.completion',
      created: 0,
      model: 'm',
      choices: [{ index: 0, message, finish_reason: 'stop' }],
    },
    {},
  );
  expect(answer).toMatchObject({ content: [{ type: 'text', text: 'Hello' }] });
  expect(JSON.stringify(answer)).not.toContain('citations');
});
