import type { Attempt } from '#gateway/requests/routing/routing.ts';
import type { CountedTokens } from '#gateway/providers/streams/stream.ts';
import type { CompletionEvent } from '#gateway/requests/completions/telemetry.ts';

export const NOW = Date.parse('2026-03-01T12:00:00Z');

export const attempt = (fields: Partial<Attempt> = {}): Attempt => ({
  target: 'openai:small',
  number: 1,
  outcome: 'answered',
  failure: undefined,
  upstreamStatus: 200,
  startedAt: NOW + 1,
  durationMs: 120,
  ...fields,
});

export const tokens = (
  promptTokens: number,
  completionTokens: number,
  cache: Partial<CountedTokens> = {},
): CountedTokens => ({
  promptTokens,
  completionTokens,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  cacheWrite1hTokens: 0,
  ...cache,
});

/** A successful request. */
export const completion = (fields: Partial<CompletionEvent> = {}): CompletionEvent => ({
  endpoint: '/v1/chat/completions',
  requestId: 'request-1',
  trace: undefined,
  model: 'openai:small',
  provider: 'openai',
  status: 200,
  reason: undefined,
  usage: tokens(100, 20),
  cost: 1_500_000n,
  unpriced: false,
  attempts: [attempt()],
  streamed: false,
  startedAt: NOW,
  firstByteMs: 125,
  durationMs: 130.5,
  ...fields,
});
