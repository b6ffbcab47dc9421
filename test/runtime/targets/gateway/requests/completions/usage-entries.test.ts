import { expect, test } from 'vitest';
import { AppError } from '#contract/errors.ts';
import { usageLines } from '#gateway/requests/completions/settle-request.ts';
import type { AnswerSummary } from '#gateway/providers/streams/stream.ts';

const FACTS = {
  endpoint: '/v1/chat/completions',
  requestId: 'request-1',
  startedAt: 0,
  attempts: [],
  prices: new Map([['openai:good', undefined]]),
  expected: {
    prompt: 9,
    output: 7,
    counts: {
      prompt: () => 5,
      completion: (_model: string, { usage, outputLength }: AnswerSummary) =>
        usage?.completionTokens ?? outputLength / 4,
      learn: () => undefined,
    },
  },
  now: 10,
};

const rowOf = (error: AppError | undefined, summary?: AnswerSummary) =>
  usageLines(FACTS, {
    answered: summary && { key: 'openai:good', summary },
    error,
    streamed: false,
    firstByteMs: undefined,
  }).at(-1)?.entry;

test('an internal error is recorded without its message', () => {
  const error = AppError.from(new TypeError('o9e(...).filter is not a function'));
  expect(rowOf(error)).toMatchObject({ errorMessage: 'Internal error', statusCode: 500 });
});

test('the recorded error is the error that the client received', () => {
  const error = new AppError('UpstreamError', 'LLM provider error');
  expect(rowOf(error)).toMatchObject({ errorMessage: 'LLM provider error', statusCode: 502 });
});

const TOLD = {
  cachedTokens: 0,
  cacheWriteTokens: 0,
  cacheWrite1hTokens: 0,
  reasoningTokens: 0,
  promptTokens: 12,
};

test.each([
  ['all tokens', { ...TOLD, completionTokens: 3 }, 40, 12, 3, false],
  ['only prompt tokens', { ...TOLD, completionTokens: undefined }, 40, 12, 10, true],
  ['only prompt tokens and no output', { ...TOLD, completionTokens: undefined }, 0, 12, 0, false],
  ['only output tokens', { ...TOLD, promptTokens: undefined, completionTokens: 3 }, 40, 5, 3, true],
  ['no tokens', undefined, 40, 5, 10, true],
])(
  'tokens are recorded or estimated if the provider reports %s',
  (_what, usage, outputLength, promptTokens, completionTokens, estimated) => {
    const row = rowOf(undefined, { usage, outputLength, outputText: '', finishReason: 'stop' });
    expect(row).toMatchObject({ promptTokens, completionTokens, estimated });
  },
);
