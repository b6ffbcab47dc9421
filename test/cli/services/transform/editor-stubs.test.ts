import { expect, test } from 'vitest';
import { compileLua, withLua } from '#cli/adapters/lua.ts';
import { editorStubs } from '#cli/services/transform/editor-stubs.ts';
import { DEFAULT_TRANSFORM_LIMITS } from '#contract/transform.ts';
import { MEMBERS } from '#transform/members.ts';
import type { TransformScript } from '#transform/transform-script.ts';

const stubs = editorStubs();
const lines = stubs.split('\n');
const scriptOf = (source: string): TransformScript => ({
  source,
  name: 'stubs.lua',
  firstLine: 1,
  libraries: [],
  limits: DEFAULT_TRANSFORM_LIMITS,
});

/** The lines above a function, up to the preceding empty line. */
function notesOf(declaration: string): string[] {
  const end = lines.indexOf(declaration);
  expect(end, declaration).toBeGreaterThan(0);
  return lines.slice(lines.lastIndexOf('', end) + 1, end);
}

test('every tensor function is declared with its parameters and description', () => {
  const named = MEMBERS.filter(({ kind, name }) => kind !== 'metamethod' && !name.startsWith('__'));
  expect(named.length).toBeGreaterThan(30);
  for (const { kind, name, parameters, doc } of named) {
    const owner = kind === 'method' ? 'tensor:' : 'Tensor.';
    const notes = notesOf(`function ${owner}${name}(${parameters.map((one) => one.name).join(', ')}) end`);
    expect(notes[0]).toBe(`---${doc}`);
    expect(notes.filter((note) => note.startsWith('---@param'))).toEqual(
      parameters.map((one) =>
        expect.stringMatching(new RegExp(`^---@param ${one.name}\\?? .*${RegExp.escape(one.doc)}$`)),
      ),
    );
  }
});

test('tensor operators, indexing and the Tensor constructor are declared', () => {
  expect(lines.filter((line) => line.startsWith('---@operator')).map((line) => line.slice(13))).toEqual([
    'add(Tensor|number): Tensor',
    'sub(Tensor|number): Tensor',
    'mul(Tensor|number): Tensor',
    'div(Tensor|number): Tensor',
    'unm: Tensor',
    'len: integer',
  ]);
  expect(lines).toContain('---@field [integer] Tensor|number');
  expect(lines).toContain('---@overload fun(table: table): Tensor');
});

test('a parameter is optional only where scripts can omit it', () => {
  expect(notesOf('function tensor:squeeze(axis) end').join('\n')).toContain('---@param axis? integer');
  expect(notesOf('function tensor:softmax(axis) end').join('\n')).toContain('---@param axis integer');
  expect(notesOf('function tensor:map_axis(axis, f) end').join('\n')).toContain(
    '---@param f fun(slice: Tensor): Tensor|number ',
  );
});

test('functions that return a number, or a tensor if an axis is passed, are declared with both results', async () => {
  const names = lines.flatMap((line, index) =>
    line === '---@overload fun(self: Tensor): number'
      ? (/:(\w+)/.exec(lines[index + 1] ?? '')?.[1] ?? [])
      : [],
  );
  expect(names).toEqual(['sum', 'mean', 'max', 'min']);
  const calls = names.map((name) => `print(type(t:${name}()), type(t:${name}(1)))`).join('\n');
  const printed: string[] = [];
  await withLua(
    scriptOf(`function Postprocess(t)\n${calls}\nreturn t\nend`),
    (line) => printed.push(line),
    (run) =>
      run({ modelType: 'sequence_classification', output: { data: Float32Array.of(1, 2), shape: [1, 2] } }),
  );
  expect(printed).toEqual(names.map(() => 'number\tuserdata'));
});

test('stubs are valid Lua', async () => {
  await expect(compileLua(scriptOf(stubs))).resolves.toBeUndefined();
  await expect(compileLua(scriptOf(`${stubs}\nend`))).rejects.toThrow(/stubs\.lua:\d+: /);
});
