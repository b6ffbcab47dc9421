import { expect, test } from 'vitest';
import { traceHeaders } from '../../../../../runtime/targets/manager/upstream/remote/trace-headers.ts';

const PARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const headersOf = (_meta: unknown): Record<string, string> =>
  traceHeaders({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x', _meta } });

test('the trace in `_meta` is repeated in headers', () => {
  expect(headersOf({ traceparent: PARENT, tracestate: 'a=1', other: 'x' })).toEqual({
    traceparent: PARENT,
    tracestate: 'a=1',
  });
  expect(headersOf({ traceparent: PARENT })).toEqual({ traceparent: PARENT });
});

test.each([undefined, {}, { tracestate: 'a=1' }, { traceparent: 1 }, { traceparent: `${PARENT}\r\nx: y` }])(
  '%j gives no header',
  (meta) => {
    expect(headersOf(meta)).toEqual({});
  },
);

test('a state that a header cannot carry is left out', () => {
  for (const tracestate of ['a=1\r\nx: y', 'a=é', '', 'x'.repeat(513), 7]) {
    expect(headersOf({ traceparent: PARENT, tracestate })).toEqual({ traceparent: PARENT });
  }
});
