import { expect, test } from 'vitest';
import { AppError } from '../../../../../runtime/contract/errors.ts';
import { usageEntries } from '../../../../../runtime/targets/gateway/completions/usage-entries.ts';
import type { AnswerSummary } from '../../../../../runtime/targets/gateway/streams/api.ts';

const FACTS = {
  endpoint: '/v1/chat/completions',
  requestId: 'request-1',
  startedAt: 0,
  attempts: [],
  prices: new Map([['openai:good', undefined]]),
  promptTokens: 5,
  now: 10,
};

const rowOf = (error: AppError | undefined, summary?: AnswerSummary) =>
  usageEntries(FACTS, {
    answered: summary && { key: 'openai:good', summary },
    error,
    streamed: false,
    firstByteMs: undefined,
  }).at(-1);

test('what went wrong inside of the gateway is not told in its own words', () => {
  const error = AppError.from(new TypeError('o9e(...).filter is not a function'));
  expect(rowOf(error)).toMatchObject({ errorMessage: 'Internal error', statusCode: 500 });
});

test('what the client was told is told', () => {
  const error = new AppError('UpstreamError', 'LLM provider error');
  expect(rowOf(error)).toMatchObject({ errorMessage: 'LLM provider error', statusCode: 502 });
});
