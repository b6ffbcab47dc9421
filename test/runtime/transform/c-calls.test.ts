import { expect, test } from 'vitest';
import { counted, openBody } from './open.ts';

const LIMITS = { memory_mb: 64, seconds: 0.3, instructions: 1e9 };
const libraries = ['coroutine', 'os'] as const;

/** Single function calls that would run for minutes. Other functions take at most milliseconds with these arguments. */
const LONG = [
  'string.find(("a"):rep(3000), (".-"):rep(4) .. "b")',
  'string.match(("a"):rep(3000), (".-"):rep(4) .. "b")',
  'string.gsub(("a"):rep(3000), (".-"):rep(4) .. "b", "")',
  'string.gmatch(("a"):rep(3000), (".-"):rep(4) .. "b")()',
  'string.find(("a"):rep(40), ("a?"):rep(40) .. ("a"):rep(41))',
  'string.find(("a"):rep(2e6), ("a"):rep(1e6) .. "b", 1, true)',
  '(""):rep(1e12)',
  'pcall(string.rep, "", 1e12)',
  'table.insert(setmetatable({}, { __len = function() return 2^53 | 0 end }), 1, 1)',
  'table.remove(setmetatable({}, { __len = function() return 2^53 | 0 end }), 1)',
  'table.move({}, 1, 2^53 | 0, 2)',
];

/** The error that a function throws, as text; nothing if it returns. */
function reasonOf(run: () => unknown): string {
  try {
    run();
    return '';
  } catch (error) {
    return String(error);
  }
}

test.each(LONG)('%s is stopped at the time limit', async (call) => {
  const transform = await openBody(`local x = ${call} return t`, {
    limits: LIMITS,
    libraries: [...libraries],
  });
  expect(() => transform.apply([counted(1)])).toThrow('(transform_limits.seconds)');
  // The Lua state is created again.
  await transform.ready();
  expect(() => transform.apply([counted(1)])).toThrow('(transform_limits.seconds)');
});

test('a call through a computed name is also stopped at the time limit', async () => {
  const body = 'local f = string["ma" .. "tch"] local x = f(("a"):rep(3000), (".-"):rep(4) .. "b") return t';
  const transform = await openBody(body, { limits: LIMITS });
  expect(() => transform.apply([counted(1)])).toThrow('(transform_limits.seconds)');
});

test('every sandbox function returns for any arguments', async () => {
  const body = `
    local long = ("a"):rep(1000)
    local numbers = {}
    for i = 1, 1000 do numbers[i] = i end
    local arguments = {
      long, (".-"):rep(4) .. "b", numbers, 2^53 | 0, -1, 0, 1.5, true, print, "%s", {},
      setmetatable({}, { __len = function() return 2^40 | 0 end }),
    }
    local names = {}
    for name, library in pairs(_G) do
      if type(library) == "table" and name ~= "_G" then
        for member, f in pairs(library) do if type(f) == "function" then names[name .. "." .. member] = f end end
      elseif type(library) == "function" and name ~= "Postprocess" then
        names[name] = library
      end
    end
    local sorted = {}
    for name in pairs(names) do sorted[#sorted + 1] = name end
    table.sort(sorted)
    for count, name in ipairs(sorted) do
      local f = names[name]
      if count == CALL then
        print("function " .. name)
        for _, x in ipairs(arguments) do
          for _, y in ipairs(arguments) do pcall(f, x, y, x) pcall(f, x, y) pcall(f, x) end
        end
        return t
      end
    end
    print("end")
    return t`;
  const seen: string[] = [];
  for (let call = 1; seen.at(-1) !== 'end' && call < 400; call += 1) {
    const transform = await openBody(`local CALL = ${call}${body}`, {
      limits: LIMITS,
      libraries: [...libraries],
      print: (line) => {
        if (line === 'end' || line.startsWith('function ')) seen.push(line.replace('function ', ''));
      },
    });
    const since = performance.now();
    expect(reasonOf(() => transform.apply([counted(1)]))).toMatch(/^$|transform_limits|nested calls/);
    // The time limit, the period in which a Lua error is preferred, and some reserve for a busy machine.
    expect(performance.now() - since, seen.at(-1)).toBeLessThan(10_000);
  }
  expect(seen.at(-1)).toBe('end');
  expect(seen).toContain('string.gsub');
  expect(new Set(seen).size).toBe(seen.length);
  expect(seen.length).toBeGreaterThan(60);
}, 300_000);

test('errors of library functions keep their messages and positions', async () => {
  const failing = async (body: string): Promise<string> => {
    const transform = await openBody(body);
    return reasonOf(() => transform.apply([counted(1)]));
  };
  expect(await failing('string.rep()')).toContain(
    "test.lua:2: bad argument #1 to 'rep' (string expected, got no value)",
  );
  expect(await failing('("x"):rep({})')).toContain(
    "test.lua:2: bad argument #1 to 'rep' (number expected, got table)",
  );
  expect(await failing('string.find("a", "[")')).toContain('test.lua:2: malformed pattern (missing');
  expect(await failing('table.insert({}, 5, 1)')).toContain(
    "test.lua:2: bad argument #2 to 'insert' (position out of bounds)",
  );
  expect(await failing('for a in string.gmatch("abc", "(") do end')).toContain(
    'test.lua:2: unfinished capture',
  );
});

test('a long call that finishes in time returns the same result', async () => {
  const transform = await openBody(`
    local text = ("word  "):rep(20000)
    local short, count = text:gsub("%s+", " ")
    local words = 0
    for word in text:gmatch("%a+") do words = words + 1 end
    local numbers = {}
    for i = 1, 20000 do numbers[i] = -i end
    table.sort(numbers)
    table.insert(numbers, 1, 7)
    return Tensor{#short, count, words, numbers[2], #numbers, #table.concat(numbers, ","), select(2, ("x"):rep(70000):find("x", 60000, true))}`);
  expect([...transform.apply([counted(1)]).data]).toEqual([
    100_000, 20_000, 20_000, -20_000, 20_001, 128_895, 60_000,
  ]);
});
