import { expect, test } from 'vitest';
// @ts-expect-error -- The file is part of the checks and has no types.
import { problemOf } from '../.ci/linear-regexes.mjs';

const explain = problemOf as (source: string, flags: string) => string | undefined;

test.each([
  [/\S[^\n]*\n/, 'a search can start again'],
  [/\/Linearized\b[^>]*\/N\s+(\d+)/g, 'a search can start again inside of [^>]*'],
  [/^content-type:[ \t]*(.*?)[ \t]*$/im, 'can match the same characters'],
  [/<([^>]+)>\s*;\s*rel="next"/, 'a search can start again inside of [^>]+'],
  [/\s+$/, 'a search can start again'],
  [/^(a+)+$/, 'exponential'],
  [/^# [^]*x/m, 'a search can start again inside of [^]*'],
])('%s is rejected', (expression, problem) => {
  expect(explain(expression.source, expression.flags)).toContain(problem);
});

test.each([
  /^\s*x/,
  /"[^"]*"/,
  /a+/,
  /<[^<>]*>/,
  /\s/g,
  /^[^:]*:(.*)$/,
  /(?<=:\/\/)[^\s/@]+@/g,
  /\/Type\s{0,100}\/Page\b/g,
])('%s takes linear time', (expression) => {
  expect(explain(expression.source, expression.flags)).toBeUndefined();
});
