import { expect, test } from 'vitest';
import { errorOf, HANDLE, runToolScript, valueOf } from './run-tool-script.ts';

/** Runs a script whose calls return this JSON, and returns the JSON of its result. */
async function jsonOf(source: string, json = 'null'): Promise<string | undefined> {
  const { end } = await runToolScript(source, () => ({ json }));
  if ('error' in end) throw new Error(end.error);
  return end.json;
}

test.each([
  '{"a":[1,2.5,"x",true,false]}',
  '[]',
  '{}',
  '{"a":[],"b":{}}',
  '[null,1,null]',
  '9007199254740993',
  '-9223372036854775808',
  '"\\u0000 \\" \\\\ \\n é 😀"',
  '[[[]]]',
])('the JSON %s survives a script', async (json) => {
  expect(await jsonOf('return tools.a.b{}', json)).toBe(json);
});

test('null is nil in objects and json.null in lists', async () => {
  expect(
    await valueOf('local r = tools.a.b{}\nreturn { r.x == nil, r.list[1] == json.null, #r.list }', () => ({
      json: '{"x":null,"list":[null,2]}',
    })),
  ).toEqual([true, true, 2]);
  const { requests } = await runToolScript('tools.a.b{ x = json.null, y = nil, list = {} }');
  expect(requests[0]?.args).toBe('{"list":{},"x":null}');
});

test('integers up to 64 bits are exact, and larger ones become floats', async () => {
  expect(await jsonOf('return tools.a.b{} + 1', '9007199254740993')).toBe('9007199254740994');
  expect(await jsonOf('return tools.a.b{}', '18446744073709551615')).toBe('18446744073709552000');
  expect(await jsonOf('return 6 / 2')).toBe('3');
  expect(await errorOf('return 0/0')).toContain('the return value is not a finite number');
  expect(await errorOf('return { a = { 1, 1/0 } }')).toContain(
    'the return value.a[2] is not a finite number',
  );
});

test('invalid UTF-8 is replaced', async () => {
  expect(await valueOf('return ("é"):sub(1, 1) .. "x"')).toBe('\uFFFDx');
});

test('an empty table is a list in the result, and an object in arguments', async () => {
  expect(await jsonOf('return { found = {} }')).toBe('{"found":[]}');
  const { requests } = await runToolScript('local r = tools.a.b{}\ntools.a.b{ empty = r }', () => ({
    json: '[]',
  }));
  expect(requests[1]?.args).toBe('{"empty":[]}');
});

test('keys that are numbers become texts, and must not collide', async () => {
  expect(await jsonOf('return { [5] = 1 }')).toBe('{"5":1}');
  expect(await errorOf('return { [5] = 1, ["5"] = 2 }')).toContain('exists twice');
  expect(await errorOf('return { [true] = 1 }')).toContain('has a key of type boolean');
});

test('cycles, functions, deep nesting and long values are errors', async () => {
  expect(await errorOf('local t = {}\nt.x = { t }\nreturn t')).toContain(
    'the return value.x[1] contains itself',
  );
  expect(await errorOf('return { f = print }')).toContain('the return value.f is a function');
  expect(await errorOf('local t = {}\nfor i = 1, 100 do t = { t } end\nreturn t')).toContain(
    'is nested deeper than 64',
  );
  expect(await errorOf('return ("x"):rep(20000)')).toContain(
    'the return value has more than 10000 characters of JSON',
  );
  expect(await jsonOf('local a = { 1 }\nreturn { a, a }')).toBe('[[1],[1]]');
  expect(await errorOf('tools.a.b{ t = tools }')).toMatch(/^no error|^line 1/);
});

test('a result that is nested too deeply is an error of the call', async () => {
  const json = `${'['.repeat(100)}${']'.repeat(100)}`;
  expect(await valueOf('local ok, why = pcall(tools.a.b, {})\nreturn why', () => ({ json }))).toContain(
    'the result is nested deeper than 64',
  );
});

test('binary data can be passed on, but not be created', async () => {
  const { end, requests } = await runToolScript(
    `local r = tools.a.b{}
     tools.a.c{ data = r.data, forged = "${HANDLE}" .. 1 }
     return { type(r.data), r.data }`,
    () => ({ json: JSON.stringify({ data: `${HANDLE}1` }) }),
  );
  expect(JSON.parse(requests[1]?.args ?? '')).toEqual({ data: `${HANDLE}1`, forged: `${HANDLE}1` });
  expect(end).toMatchObject({ json: JSON.stringify(['userdata', `${HANDLE}1`]) });
});

test('json.encode and json.decode convert texts', async () => {
  expect(await valueOf('return json.decode(json.encode{ a = { 1, json.null } })')).toEqual({ a: [1, null] });
  expect(await errorOf('return json.decode("{")')).toContain('line 1: ');
});
