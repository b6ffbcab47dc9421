import { startStub, type StubServer } from './stub-server.ts';

const USAGE = { prompt_tokens: 12, completion_tokens: 7, total_tokens: 19 };

/** A provider with OpenAI's API whose models always return the same text; the model `broken` returns it as an error. */
export const startProvider = (text: string): Promise<StubServer> =>
  startStub(({ path, body }) => {
    if (path.endsWith('/models')) return { object: 'list', data: [{ id: 'large', object: 'model' }] };
    if (body?.model === 'broken') return { error: { message: text, type: 'server_error' } };
    const base = { id: 'c', created: 1, model: 'large' };
    if (body?.stream !== true) {
      const choices = [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }];
      return { ...base, object: 'chat.completion', choices, usage: USAGE };
    }
    const chunk = (delta: object, more: object = {}) => ({
      ...base,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason: null, ...more }],
    });
    return [
      chunk({ role: 'assistant', content: text.slice(0, 5) }),
      chunk({ content: text.slice(5) }),
      chunk({}, { finish_reason: 'stop' }),
      { ...base, object: 'chat.completion.chunk', choices: [], usage: USAGE },
      '[DONE]',
    ];
  });
