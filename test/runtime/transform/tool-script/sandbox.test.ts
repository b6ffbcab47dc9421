import { expect, test } from 'vitest';
import { errorOf, runToolScript, valueOf } from './run-tool-script.ts';

test.each([
  'io',
  'os',
  'debug',
  'package',
  'require',
  'load',
  'loadstring',
  'loadfile',
  'dofile',
  'collectgarbage',
  'coroutine',
  'newproxy',
])('scripts have no %s', async (name) => {
  expect(await valueOf(`return type(${name})`)).toBe('nil');
});

test('scripts see only the documented globals', async () => {
  const names = await valueOf(
    'local names = {}\nfor name in pairs(_G) do names[#names + 1] = name end\ntable.sort(names)\nreturn names',
  );
  expect(names).toEqual([
    '_G',
    '_VERSION',
    'assert',
    'error',
    'getmetatable',
    'ipairs',
    'json',
    'math',
    'next',
    'pairs',
    'parallel',
    'pcall',
    'print',
    'prompts',
    'rawequal',
    'rawget',
    'rawlen',
    'rawset',
    'resources',
    'select',
    'setmetatable',
    'string',
    'table',
    'tonumber',
    'tools',
    'tostring',
    'type',
    'utf8',
    'xpcall',
  ]);
});

test.each([
  ['while true do end', 'it exceeded its limit of 1000000 instructions'],
  ['pcall(function() while true do end end)\nreturn 1', 'it exceeded its limit of 1000000 instructions'],
  [
    'while true do pcall(function() while true do end end) end',
    'it exceeded its limit of 1000000 instructions',
  ],
  [
    'while true do xpcall(function() while true do end end, function() while true do end end) end',
    'it exceeded its limit',
  ],
  [
    'local x <close> = setmetatable({}, { __close = function() while true do end end })\nwhile true do end',
    'it exceeded its limit',
  ],
  [
    'pcall(function() local x <close> = setmetatable({}, { __close = function() while true do end end })\nwhile true do end end)',
    'it exceeded its limit',
  ],
  ['local t = {}\nfor i = 1, 1e9 do t[i] = ("x"):rep(1e5) .. i end', 'it exceeded its memory limit of 16 MB'],
  ['local s = ("x"):rep(2^30)', 'it exceeded its memory limit of 16 MB'],
  ['pcall(string.rep, "x", 2^30)\nreturn 1', 'it exceeded its memory limit of 16 MB'],
  ['for i = 1, 100 do pcall(tools.a.b, {}) end', 'it exceeded its limit of 20 calls'],
  [
    'parallel({ 1, 2, 3 }, function() while true do pcall(tools.a.b, {}) end end)',
    'it exceeded its limit of 20 calls',
  ],
])('the script %j reaches a limit that it cannot catch', async (source, message) => {
  const { end } = await runToolScript(source);
  expect(end).toMatchObject({ isLimit: true });
  expect('error' in end && end.error).toContain(message);
});

test.each([
  ['local function f() return 1 + f() end\nreturn f()', 'it exceeded its memory limit'],
  ['local function f() return parallel{ f } end\nreturn f()', 'it exceeded its memory limit'],
  ['local t = setmetatable({}, { __index = function(t, k) return t[k .. "x"] end })\nreturn t.x', 'overflow'],
  ['return setmetatable({}, { __gc = function() end })', '__gc is not available'],
  ['getmetatable("").__index = nil', 'attempt to index a string value'],
  ['setmetatable(tools, {})', 'protected'],
  ['setmetatable(json.null, {})', 'table expected'],
  ['rawset(_G, "tools", nil)\nreturn tools.a.b{}', 'attempt to index a nil value'],
  ['return ("x"):dump()', 'attempt to call a nil value'],
])('the script %j only harms itself', async (source, message) => {
  expect(await errorOf(source)).toContain(message);
});

test.each([
  ['return ("x"):rep(4e6)', 'the return value has more than 10000 characters of JSON'],
  ['return { [("x"):rep(4e6)] = 1 }', 'the return value has more than 10000 characters of JSON'],
  ['tools.a.b{ x = ("é"):rep(2e6) }', 'the argument has more than 10000 characters of JSON'],
  ['tools[("x"):rep(4e6)].b{}', 'the name of a server or tool has more than 1000 characters'],
  ['json.decode(("x"):rep(4e6))', 'the text has more than 100000 characters'],
])('the long text of %j is not copied out of the sandbox', async (source, message) => {
  expect(await errorOf(source)).toContain(message);
});

test('a long error message is cut', async () => {
  expect((await errorOf('error(("x"):rep(4e6))')).length).toBeLessThan(2100);
});

test('a library function that takes too long is stopped', async () => {
  const source = 'local s = ("a"):rep(5000)\nreturn s:find((".-"):rep(20) .. "b")';
  const { end } = await runToolScript(source, undefined, { seconds: 0.5 });
  expect(end).toEqual({ error: 'it exceeded its time limit of 0.5 s', isLimit: true });
});

test('metamethods of tables are not used when values are converted', async () => {
  const { requests, end } = await runToolScript(
    `local t = setmetatable({ a = 1 }, { __index = function() error("used") end, __pairs = function() error("used") end, __len = function() return 1e9 end })
     tools.a.b{ t = t }
     return t`,
  );
  expect(requests[0]?.args).toBe('{"t":{"a":1}}');
  expect(end).toMatchObject({ json: '{"a":1}' });
});

test('the memory limit includes values that wait for calls', async () => {
  const { end } = await runToolScript(
    'local kept = {}\nwhile true do kept[#kept + 1] = tools.a.b{} end',
    () => ({ json: JSON.stringify('x'.repeat(2_000_000)) }),
    { calls: 1000 },
  );
  expect(end).toMatchObject({ error: 'it exceeded its memory limit of 16 MB', isLimit: true });
});

test('the instruction limit applies to the whole run, not to each part', async () => {
  const { end } = await runToolScript('while true do for i = 1, 20000 do end\ntools.a.b{} end', undefined, {
    calls: 1000,
  });
  expect(end).toMatchObject({ error: 'it exceeded its limit of 1000000 instructions' });
});

test('xpcall passes the error to its handler, and an error of the handler to the script', async () => {
  expect(await valueOf('return xpcall(error, function(why) return why .. "!" end, "first")')).toEqual([
    false,
    'first!',
  ]);
  expect(await valueOf('return xpcall(function(a) return a, nil, 3 end, error, 1)')).toEqual([
    true,
    1,
    null,
    3,
  ]);
  expect(await errorOf('return xpcall(error, function() error("again") end, "first")')).toBe('line 1: again');
});
