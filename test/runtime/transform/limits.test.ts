import { describe, expect, test } from 'vitest';
import { counted, openBody } from './open.ts';

const small = { instructions: 2_000_000, memory_mb: 32, seconds: 60 };

describe('limits', () => {
  test.each([
    ['while true do end', 'instructions'],
    ['while true do pcall(function() while true do end end) end', 'instructions'],
    ['local function f() return f() end return f()', 'instructions'],
    ['while true do pcall(coroutine.wrap(function() while true do end end)) end', 'instructions'],
    ['string.gsub(("a"):rep(100000), "a", function() while true do end end)', 'instructions'],
    ['return ("x"):rep(1e9)', 'memory_mb'],
    ['local all = {} for i = 1, 1e9 do all[i] = ("x"):rep(1e6) .. i end', 'memory_mb'],
    ['local all = {} for i = 1, 1e9 do all[i] = Tensor.zeros{100000} end', 'memory_mb'],
    ['return Tensor.zeros{1000, 1000, 100}', 'memory_mb'],
    ['local x = Tensor.zeros{100000} for i = 1, 20 do x = Tensor.concat({x, x}, 1) end', 'memory_mb'],
  ])('%s is stopped with an error message', async (body, limit) => {
    const transform = await openBody(body, { limits: small, libraries: ['coroutine'] });
    expect(() => transform.apply([counted(1, 2, 3)])).toThrow(`(transform_limits.${limit})`);
    // The limits are reset for the next text.
    expect(() => transform.apply([counted(1, 2, 3)])).toThrow(`(transform_limits.${limit})`);
  });

  test('the time limit also stops a script whose few instructions are slow', async () => {
    const body = 'while true do pcall(string.rep, "x", 30e6) end';
    const transform = await openBody(body, { limits: { seconds: 0.2 } });
    expect(() => transform.apply([counted(1)])).toThrow(
      'it exceeded its time limit of 0.2 s (transform_limits.seconds)',
    );
  });

  test.each([
    'local function f() return 1 + f() end return f()',
    'local function f(x) return (x:gsub("x", f)) end return f("x")',
    'local t = setmetatable({}, {}) getmetatable(t).__index = function(_, k) return t[k .. "x"] end return t.x',
    'return t:map_axis(1, function() return Postprocess(t) end)',
    'local x = t for i = 1, 100 do x = x:unsqueeze(1) end',
  ])('%s is stopped, and the next run fails in the same way', async (body) => {
    const transform = await openBody(body, { limits: small });
    expect(() => transform.apply([counted(1, 2, 3)])).toThrow('The transform failed: ');
    await transform.ready();
    expect(() => transform.apply([counted(1, 2, 3)])).toThrow('The transform failed: ');
  });

  test('unreferenced tensors do not count toward the limit', async () => {
    const body = 'local x = t for i = 1, 2000 do x = x + 1 end return x';
    const transform = await openBody(body, { limits: { memory_mb: 8 } });
    expect(transform.apply([counted(1, 64, 384)]).data[0]).toBe(2001);
  });
});
