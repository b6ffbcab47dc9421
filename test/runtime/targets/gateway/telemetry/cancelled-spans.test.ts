import { expect, test } from 'vitest';
import { completionSpans } from '#gateway/telemetry/completion-spans.ts';
import { attempt, completion } from './completions.ts';

const trace = {
  traceId: '1',
  spanId: '2',
  parentId: undefined,
  sampled: true,
  headers: { traceparent: '00-1-2-01' },
};

test('a client disconnect is not recorded as a span error', () => {
  const attempts = [attempt({ outcome: 'failed', failure: 'cancelled', upstreamStatus: undefined })];
  const spans = completionSpans(completion({ status: 499, attempts }), trace);
  expect(spans).toHaveLength(2);
  for (const { status, attributes } of spans) {
    expect(status).toEqual({});
    expect(JSON.stringify(attributes)).not.toContain('error.type');
  }
});
