import { describe, expect, test } from 'vitest';
import { applyBody, counted, openBody, openSource } from './open.ts';

const values = async (body: string): Promise<number[]> => [...(await applyBody(body)).data];

describe('a transform', () => {
  test('is a function on tensors', async () => {
    expect(await applyBody('return t')).toEqual(counted(1, 2, 3));
    expect(await values('return t[1][2] * 2')).toEqual([8, 10, 12]);
    expect(await values('return 10 - t')).toEqual([9, 8, 7, 6, 5, 4]);
    expect(await values('return Tensor{{1, 2}, {3, 4}}')).toEqual([1, 2, 3, 4]);
    expect(await values('return Tensor.new{t[1][1][3], #t, t:ndim()}')).toEqual([3, 6, 3]);
  });

  test('can call tensor functions with Lua callbacks', async () => {
    expect(await values('return t:map_axis(2, function(row) return row:sum() + row end)')).toEqual([
      7, 8, 9, 19, 20, 21,
    ]);
  });

  test.each([
    ['return 3', 'Postprocess must return a tensor, not 3'],
    ['return', 'Postprocess must return a tensor, not nothing'],
    ['return {}', 'Postprocess must return a tensor, not a table'],
    ['return t:softmax()', 'test.lua:2: softmax: axis must be a whole number, not nothing'],
    ['return t:softmax(1.5)', 'test.lua:2: softmax: axis must be a whole number, not 1.5'],
    ['return t:softmax("1")', 'test.lua:2: softmax: axis must be a whole number, not a string'],
    ['return t:sofmax(1)', 'test.lua:2: a tensor has no member "sofmax"; members: abs'],
    ['return t[2]', 'test.lua:2: index 2 is out of range for a tensor of shape [1, 2, 3]'],
    ['local x = Tensor{{1}, {2, 3}}', 'test.lua:2: Tensor: [2] of the table is a list of 2'],
    ['return t + nil', 'test.lua:2: +: right must be a tensor or a number, not nothing'],
    ['return Tensor(1)', 'Tensor: table must be a table of numbers, not 1'],
    ['t[1] = 3', 'test.lua:2: tensors are immutable; create a new one'],
    ['return x.y', "test.lua:2: attempt to index a nil value (global 'x')"],
    ['error("wrong input")', 'test.lua:2: wrong input'],
    ['error({})', 'it raised an error of type table'],
    ['error()', 'it raised an error of type nil'],
    ['t:map_axis(1, function() error("inside") end)', 'test.lua:2: inside'],
  ])('%s fails with the reason and the line', async (body, reason) => {
    const transform = await openBody(body);
    expect(() => transform.apply([counted(1, 2, 3)])).toThrow(`The transform failed: ${reason}`);
  });

  test('is rejected immediately if it is not valid Lua', async () => {
    await expect(openSource('x = ')).rejects.toThrow(
      'The transform failed: test.lua:1: unexpected symbol near <eof>',
    );
    await expect(openSource('\u001bLua')).rejects.toThrow('The transform failed:');
  });

  test('is rejected if it does not define Postprocess', async () => {
    const transform = await openSource('function postprocess(t) return t end');
    expect(() => transform.apply([counted(1)])).toThrow('it does not define a function named Postprocess');
  });

  test('prints to the configured output', async () => {
    const lines: string[] = [];
    await applyBody('print("a", 1, 2.5, nil, true) print(t[1][1]) return t', {
      print: (line) => lines.push(line),
    });
    expect(lines[0]).toBe('a\t1\t2.5\tnil\ttrue');
    expect(lines[1]).toContain('[1, 2, 3]');
  });
});

describe('the sandbox', () => {
  test.each([
    'io',
    'package',
    'debug',
    'require',
    'load',
    'loadstring',
    'loadfile',
    'dofile',
    'collectgarbage',
    'os',
    'coroutine',
    'string.dump',
    'warn',
  ])('has no %s', async (name) => {
    expect(await values(`return Tensor{${name} == nil and 1 or 0}`)).toEqual([1]);
  });

  test('lua_libs adds coroutine, and only time, clock and date from os', async () => {
    const body = `
      local wrapped = coroutine.wrap(function() coroutine.yield(t + 1) end)
      assert(os.time() > 0 and os.clock() >= 0 and os.date("%Y"))
      for name in pairs(os) do assert(name == "time" or name == "clock" or name == "date", name) end
      return wrapped()`;
    const { data } = await applyBody(body, { libraries: ['coroutine', 'os'] });
    expect([...data]).toEqual([2, 3, 4, 5, 6, 7]);
  });

  test('a run leaves no state behind for the next run', async () => {
    const transform = await openSource(`
      n = (n or 0) + 1
      local m = 0
      function Postprocess(t)
        n = n + 1
        m = m + 1
        string.n = (string.n or 0) + 1
        Tensor.n = (Tensor.n or 0) + 1
        _G.k = (_G.k or 0) + 1
        string.upper, math.abs, table.insert = nil, nil, nil
        local random = math.random()
        math.randomseed(os and 1 or 7)
        return t:sum() * 0 + Tensor{n, m, string.n, Tensor.n, _G.k, random}
      end`);
    const first = transform.apply([counted(2)]);
    expect(Array.from(first.data.subarray(0, 5))).toEqual([2, 1, 1, 1, 1]);
    expect(transform.apply([counted(2)])).toEqual(first);
  });

  test.each([
    ['the methods of strings', 'getmetatable("").__index = nil return t', 'attempt to index a string value'],
    ['tensors', 'getmetatable(t).__index = nil return t', 'attempt to index a string value'],
    ['the metatable of tensors', 'setmetatable(t, {}) return t', 'table expected'],
    ['later code with a finalizer', 'setmetatable({}, {__gc = print}) return t', '__gc is not available'],
  ])('a script cannot change %s', async (_, body, reason) => {
    const transform = await openBody(body);
    expect(() => transform.apply([counted(1, 2, 3)])).toThrow(reason);
  });
});
