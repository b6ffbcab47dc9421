import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseInParts } from '#core/json/parse-in-parts.ts';
import { membersIn } from '#core/json/scan-json.ts';
import { runAtOnce } from '#platform/run-yielding.ts';

const outcomeOf = (parse: () => unknown): unknown => {
  try {
    return { value: parse() };
  } catch {
    return 'invalid';
  }
};

function inParts(json: string): { outcome: unknown; parts: number } {
  const bytes = Buffer.from(json);
  const members = membersIn(bytes);
  const outcome = outcomeOf(() => runAtOnce(parseInParts(bytes, members, JSON.parse)));
  return { outcome, parts: members.reduce((sum, { cuts }) => sum + cuts.length, 0) };
}

/** An item whose length alone ends a part. */
const long = JSON.stringify('x'.repeat(40_000));

test.each([
  ['items of any type', `{"a":[1,${long},{"b":[${long},2]},[${long},3],"é字",null],"c":[4]}`],
  ['white space', ` {\n"a" : [ ${long} , ${long} ,\t1 ] , "c" : 2 } `],
  ['a repeated member', `{"a":[${long},1,2],"a":[3,${long},4]}`],
  ['a member named __proto__', `{"__proto__":[${long},1,2],"a":1}`],
  ['commas, quotes and brackets in strings', `{"a":[${long},"],\\"[,",${long},"}"]}`],
  ['escaped names', `{"\\u0061":[${long},{"\\u0062":1},2]}`],
])('%s: the value is that of JSON.parse', (_name, json) => {
  const { outcome, parts } = inParts(json);
  expect(parts).toBeGreaterThan(0);
  expect(outcome).toEqual({ value: JSON.parse(json) });
});

test.each([
  ['a missing item', `{"a":[${long},,${long},1]}`],
  ['a missing first item', `{"a":[ ,${long},${long},1]}`],
  ['a missing last item', `{"a":[${long},${long},]}`],
  ['the wrong bracket', `{"a":[${long},1,2}}`],
  ['the wrong bracket in an item', `{"a":[{"b":${long}],1,2]}`],
  ['a list that ends twice', `{"a":[${long},1],2]}`],
  ['text after the object', `{"a":[${long},1,2]} 1`],
  ['two texts for one member', `{"a":[${long},1,2] "b"}`],
  ['a list without an end', `{"a":[${long},1,2`],
  ['a control character', `{"a":[${long},1,"\u0001"]}`],
  ['a byte order mark before an item', `{"a":[${long},\uFEFF1,2]}`],
])('%s is invalid', (_name, json) => {
  expect(() => JSON.parse(json)).toThrow(SyntaxError);
  expect(inParts(json).outcome).toBe('invalid');
});

test('any text is parsed in parts exactly if JSON.parse accepts it, with the same value', () => {
  const token = fc.constantFrom(long, long, ',', ',', '[', ']', '{', '}', '"a"', ':', '1', ' ', '"\\"]"');
  const body = fc.array(token, { maxLength: 12 }).map((tokens) => `{"a":[${long},${tokens.join('')}`);
  const ends = fc.constantFrom('', ']}', '1]}', '],"b":[1]}');
  fc.assert(
    fc.property(body, ends, (start, end) => {
      const json = start + end;
      expect(inParts(json).outcome).toEqual(outcomeOf(() => JSON.parse(json) as unknown));
    }),
    { numRuns: 500 },
  );
});
