import { expect, test } from 'vitest';
import type { ToolReply, ToolRequest } from '#transform/tool-script/tool-script.ts';
import { errorOf, runToolScript, valueOf } from './run-tool-script.ts';

const echo = ({ args }: ToolRequest): ToolReply => ({ json: args });

test('a script calls tools and only its return value is the result', async () => {
  const { end, requests } = await runToolScript(
    `local a = tools.github.get_issue{ number = 7 }
     local b = tools["time-server"]["get.now"]()
     print("not returned")
     return { number = a.number + 1, now = b }`,
    ({ tool, args }) => ({ json: tool === 'get_issue' ? args : '"noon"' }),
  );
  expect(requests).toEqual([
    { id: 1, kind: 'tool', server: 'github', tool: 'get_issue', args: '{"number":7}' },
    { id: 2, kind: 'tool', server: 'time-server', tool: 'get.now', args: '{}' },
  ]);
  expect('json' in end && JSON.parse(end.json ?? '')).toEqual({ number: 8, now: 'noon' });
  expect(end).toMatchObject({ hasPrinted: true });
});

test('a script requests prompts and resources in the same way', async () => {
  const { requests } = await runToolScript(
    'return { prompts.github.review{ pr = "7" }, resources["my-server"].read{ uri = "file:///a" } }',
    echo,
  );
  expect(requests).toEqual([
    { id: 1, kind: 'prompt', server: 'github', tool: 'review', args: '{"pr":"7"}' },
    { id: 2, kind: 'resource', server: 'my-server', tool: 'read', args: '{"uri":"file:///a"}' },
  ]);
  expect(await errorOf('\nreturn resources.github.list{}')).toBe(
    'line 2: use resources.server.read{ uri = "..." }',
  );
});

test('several return values become a list, and no value is undefined', async () => {
  expect(await valueOf('return 1, nil, "x"')).toEqual([1, null, 'x']);
  expect(await valueOf('return nil')).toBeUndefined();
  expect(await valueOf('local a = 1')).toBeUndefined();
  expect(await valueOf('return false')).toBe(false);
});

test('a failed call raises an error with its line, which pcall catches', async () => {
  const fail = (): ToolReply => ({ error: 'github/get_issue: not found' });
  expect(await errorOf('local a = 1\nlocal b = tools.github.get_issue{}\nreturn b', fail)).toBe(
    'line 2: github/get_issue: not found',
  );
  expect(await errorOf('\n\nreturn tools.github.get_issue{}', fail)).toBe(
    'line 3: github/get_issue: not found',
  );
  expect(
    await valueOf('local ok, why = pcall(tools.github.get_issue, {})\nreturn { ok, why }', fail),
  ).toEqual([false, 'github/get_issue: not found']);
  expect(
    await valueOf('local ok, why = pcall(function()\nreturn tools.a.b{} end)\nreturn { ok, why }', fail),
  ).toEqual([false, 'script:2: github/get_issue: not found']);
});

test('parallel runs functions concurrently and returns their results in order', async () => {
  const { end, requests } = await runToolScript(
    `return parallel({ 1, 2, 3 }, function(item, at)
       local first = tools.a.x{ item = item }
       return { at, first.item, tools.a.y{ item = item * 10 }.item }
     end)`,
    echo,
  );
  expect(requests.map(({ tool }) => tool)).toEqual(['x', 'x', 'x', 'y', 'y', 'y']);
  expect(end).toMatchObject({ json: '[[1,1,10],[2,2,20],[3,3,30]]' });
  expect(
    await valueOf(
      'return parallel{ function() return 1 end, function() return tools.a.b{ x = 2 }.x end }',
      echo,
    ),
  ).toEqual([1, 2]);
  expect(await valueOf('return #parallel{}')).toBe(0);
});

test('parallel starts at most eight functions at a time, and none after a failure', async () => {
  const source = `local list = {}
    for i = 1, 12 do list[i] = i end
    parallel(list, function(i) return tools.a.b{ i = i } end)`;
  const { LuaWasm } = await import('wasmoon');
  expect(LuaWasm).toBeDefined();
  const counts: number[] = [];
  let started = 0;
  const all = await runToolScript(source, ({ id }) => {
    counts.push(id);
    started = id;
    return { json: '1' };
  });
  expect(all.requests).toHaveLength(12);
  expect(started).toBe(12);
  const failed = await runToolScript(source, ({ id }) => (id === 1 ? { error: 'down' } : { json: '1' }));
  expect(failed.requests).toHaveLength(8);
  expect(failed.end).toEqual({ error: 'line 3: down', isLimit: false });
});

test('nested parallel calls wait for each other', async () => {
  expect(
    await valueOf(
      `return parallel({ 1, 2 }, function(i)
         return parallel({ 10, 20 }, function(j) return tools.a.b{ v = i * j }.v end)
       end)`,
      echo,
    ),
  ).toEqual([
    [10, 20],
    [20, 40],
  ]);
});

test.each([
  ['return tools.a.b(5)', 'line 1: a tool takes one table with named arguments, for example { id = 1 }'],
  [
    'return tools.a.b({ 1, 2 })',
    'line 1: a tool takes one table with named arguments, for example { id = 1 }',
  ],
  ['tools.a.b({}, {})', 'line 1: a tool takes one table with named arguments, for example { id = 1 }'],
  ['tools.a = 1', 'line 1: server cannot be changed'],
  ['local x = tools[1]', 'line 1: the name of a server must be a text'],
  [
    'table.sort({ 3, 2, 1 }, function(a) tools.a.b{} end)',
    'line 1: tools cannot be called in a function that sort or gsub calls',
  ],
  ['parallel(5)', 'line 1: parallel: the first argument must be a list, not a number'],
  ['parallel{ 5 }', 'line 1: parallel: item 1 must be a function, not a number'],
  ['error({ code = 5 })', 'it raised the error {"code":5}'],
  ['error("mine", 0)', 'mine'],
  ['local x = nil\nreturn x.y', "line 2: attempt to index a nil value (local 'x')"],
  ['return }', "line 1: unexpected symbol near '}'"],
  ['\u001BLua', 'attempt to load a binary chunk'],
])('the script %j fails with a line and a reason', async (source, message) => {
  expect(await errorOf(source)).toContain(message);
});
