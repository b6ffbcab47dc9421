import { expect, test } from 'vitest';
import { readTraceParent, traceParentText } from '#serve/telemetry/request-trace.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

test('parses and formats the examples of the W3C recommendation', () => {
  const text = `00-${TRACE}-${SPAN}-01`;
  const parent = { traceId: TRACE, spanId: SPAN, sampled: true };
  expect(readTraceParent(text)).toEqual(parent);
  expect(traceParentText(parent)).toBe(text);
  expect(traceParentText({ ...parent, sampled: false })).toBe(`00-${TRACE}-${SPAN}-00`);
});

test.each([
  ['00', false],
  ['01', true],
  ['02', false],
  ['03', true],
  ['ff', true],
])('only the lowest bit of the flags %s is used', (flags, sampled) => {
  expect(readTraceParent(`00-${TRACE}-${SPAN}-${flags}`)).toMatchObject({ sampled });
});

test('a later version can contain additional fields', () => {
  expect(readTraceParent(`cc-${TRACE}-${SPAN}-01-what-comes`)).toMatchObject({ traceId: TRACE });
});

test.each([
  '',
  'none',
  `00-${TRACE}-${SPAN}`,
  `00-${TRACE}-${SPAN}-1`,
  `00-${TRACE}-${SPAN}-01-more`,
  `ff-${TRACE}-${SPAN}-01`,
  `cc-${TRACE}-${SPAN}-01.more`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE.slice(1)}-${SPAN}-01`,
  `00-${TRACE}-${SPAN.replace('f', 'g')}-01`,
])('%j is invalid', (text) => {
  expect(readTraceParent(text)).toBeUndefined();
});
