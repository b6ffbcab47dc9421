import { describe, expect, test } from 'vitest';
import { withSharedAnswers } from '#gateway/evaluation/work/backends/shared-answers.ts';
import type { BackendModel, ChatReply } from '#gateway/evaluation/work/backends/backend.ts';
import type { KeptAnswer } from '#gateway/evaluation/work/work.ts';

const { signal } = new AbortController();
const SPEC = { kind: 'openai-compatible', baseUrl: 'http://model', model: 'm', secretName: null } as const;
const REPLY: ChatReply = {
  text: 'Short.',
  reasoning: null,
  promptTokens: 3,
  completionTokens: 1,
  reasoningTokens: 0,
  latencyMs: 5,
  isShared: false,
};

/** A model with shared responses, and a store that returns a response only after `finish`. */
function setUp(replies: readonly (ChatReply | Error)[] = [REPLY]) {
  const stored = new Map<string, KeptAnswer>();
  const finish: (() => void)[] = [];
  let calls = 0;
  const chat = async (): Promise<ChatReply> => {
    const reply = replies[Math.min(calls, replies.length - 1)] ?? REPLY;
    calls += 1;
    if (reply instanceof Error) throw reply;
    return await Promise.resolve(reply);
  };
  const store = {
    find: (key: string) => Promise.resolve(stored.get(key)),
    async keep(key: string, answer: KeptAnswer) {
      await new Promise<void>((resolve) => finish.push(resolve));
      stored.set(key, answer);
    },
  };
  const model = withSharedAnswers({ chat } as unknown as BackendModel, SPEC, store);
  const ask = (isUsable?: (reply: ChatReply) => boolean) =>
    model.chat?.([{ role: 'user', content: 'first' }], {}, signal, isUsable);
  return { ask, calls: () => calls, finishKeeping: () => finish.shift()?.() };
}

describe('withSharedAnswers', () => {
  test('a request gets the response of an earlier one that is not stored yet', async () => {
    const { ask, calls, finishKeeping } = setUp();
    expect(await ask()).toEqual(REPLY);
    expect(await ask()).toEqual({ ...REPLY, isShared: true });
    finishKeeping();
    await Promise.resolve();
    expect(await ask()).toMatchObject({ text: 'Short.', isShared: true });
    expect(calls()).toBe(1);
  });

  test('a response that another request cannot use is requested again, also before it is stored', async () => {
    const { ask, calls } = setUp([REPLY, { ...REPLY, text: '4' }]);
    expect(await ask()).toMatchObject({ text: 'Short.' });
    expect(await ask(({ text }) => text === '4')).toMatchObject({ text: '4' });
    expect(calls()).toBe(2);
  });

  test('a request after one that failed is sent', async () => {
    const { ask, calls } = setUp([new Error('down'), REPLY]);
    await expect(ask()).rejects.toThrow('down');
    expect(await ask()).toEqual(REPLY);
    expect(calls()).toBe(2);
  });
});
