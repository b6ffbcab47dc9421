import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { withLua } from '#cli/adapters/lua.ts';
import { TRANSFORM_TYPES } from '#contract/model-types.ts';
import { DEFAULT_TRANSFORM_LIMITS } from '#contract/transform.ts';
import { MEMBERS } from '#transform/members.ts';
import { FIXTURES, ROOT } from '../helpers/paths.ts';
import { runCliHere as runCli } from '../helpers/cli-here.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';

// Runs the scripts in docs/transforms.md and compares their output.

const folder = useTempFolder();
const document = readFileSync(join(ROOT, 'docs/transforms.md'), 'utf8');

/** A script, its fixture model, a command and the documented output. */
const EXAMPLE =
  /<!-- model: (?<model>[\w-]+) -->\n\n```lua\n(?<script>.*?)```\n\n```console\n\$ encoderfile (?<command>[^\n]*)\n(?<printed>.*?)\n```/gs;
const examples = [...document.matchAll(EXAMPLE)].map(({ groups = {} }) => ({
  model: groups['model'] ?? '',
  script: groups['script'] ?? '',
  command: groups['command'] ?? '',
  printed: groups['printed'] ?? '',
}));

/** Other Lua blocks document their output in comments. */
const snippets = [...document.replaceAll(EXAMPLE, '').matchAll(/```lua\n(.*?)```/gs)].map(
  ([, code = '']) => code,
);

const modelTypeOf = (model: string): string =>
  parse(readFileSync(join(FIXTURES, 'models', model, 'encoderfile.yml'), 'utf8')).encoderfile.model_type;

test('there are examples for every model type, and code snippets', () => {
  expect(new Set(examples.map(({ model }) => modelTypeOf(model)))).toEqual(new Set(TRANSFORM_TYPES));
  expect(snippets.length).toBeGreaterThan(1);
});

describe('the examples print the documented output', () => {
  test.each(examples)('$model: $command', async ({ model, script, command, printed }) => {
    writeFileSync(join(folder(), 'transform.lua'), script);
    const path = join(FIXTURES, 'models', model);
    const config = {
      name: model,
      path,
      model_type: modelTypeOf(model),
      transform: { path: 'transform.lua' },
    };
    writeFileSync(join(folder(), 'encoderfile.yml'), JSON.stringify({ encoderfile: config }));
    const { stdout, stderr } = await runCli([...words(command), '--cache-dir', 'cache'], { cwd: folder() });
    const actual = [stderr, stdout].filter((text) => text !== '').join('\n');
    expect(actual.replaceAll(NUMBER, '#').replaceAll(SPACES, ' ')).toBe(
      printed.replaceAll(NUMBER, '#').replaceAll(SPACES, ' '),
    );
    const [found, stated] = [numbersIn(actual), numbersIn(printed)];
    for (const [index, number] of found.entries()) {
      // The last digits differ between CPUs.
      expect(Math.abs(number - (stated[index] ?? Number.NaN))).toBeLessThan(1e-3 * Math.abs(number) + 1e-6);
    }
  });
});

test.each(snippets)('snippet %#: every printed line matches its comment', async (code) => {
  const stated = [...code.matchAll(/--> (.*)/g)].map(([, line]) => line);
  const printed: string[] = [];
  const script = {
    source: `${code}\nfunction Postprocess(logits) return logits end`,
    name: 'transform.lua',
    firstLine: 1,
    libraries: [],
    limits: DEFAULT_TRANSFORM_LIMITS,
  };
  const output = { data: Float32Array.of(0, 1), shape: [1, 2] };
  await withLua(
    script,
    (line) => printed.push(line),
    (run) => run({ modelType: 'sequence_classification', output }),
  );
  expect(stated.length).toBeGreaterThan(0);
  expect(printed).toEqual(stated);
});

test('every tensor function is documented', () => {
  expect(MEMBERS.length).toBeGreaterThan(30);
  const absent = MEMBERS.filter(
    ({ kind, name, doc }) =>
      !document.includes(kind === 'method' ? `\`t:${name}(` : doc.replaceAll('|', String.raw`\|`)),
  );
  expect(absent.map(({ name }) => name)).toEqual([]);
});

test.each(['transforms.md', 'config.md'])('the limits in %s match the defaults', (name) => {
  const text = readFileSync(join(ROOT, 'docs', name), 'utf8');
  const [, limits = ''] = /^ *transform_limits:\n((?: +\w+: \d.*\n)+)/m.exec(text) ?? [];
  expect(parse(limits)).toEqual(DEFAULT_TRANSFORM_LIMITS);
});

const NUMBER = /(?<![\w.#-])-?\d+(?:\.\d+)?(?:e-?\d+)?(?![\w.])/g;
const SPACES = / +/g;
const numbersIn = (text: string): number[] => Array.from(text.matchAll(NUMBER), ([number]) => Number(number));

/** Splits a command line into words, some of them in double quotes. */
const words = (command: string): string[] =>
  Array.from(command.matchAll(/"([^"]*)"|\S+/g), ([word, quoted]) => quoted ?? word);
