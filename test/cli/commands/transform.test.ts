import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { describe, expect, test } from 'vitest';
import { editorStubs } from '#cli/services/transform/editor-stubs.ts';
import { TRANSFORM_TYPES, type TransformType } from '#contract/model-types.ts';
import { copyModel } from '../../helpers/models.ts';
import { FIXTURES, ROOT } from '../../helpers/paths.ts';
import { runCliHere as runCli } from '../../helpers/cli-here.ts';
import { useTempFolder } from '../../helpers/temp-folder.ts';

const folder = useTempFolder();
const here = (name: string): string => join(folder(), name);
const make = (...args: string[]) => runCli(['transform', 'new', ...args], { cwd: folder() });
const trial = (...args: string[]) =>
  runCli(['transform', 'test', '--cache-dir', 'cache', '-f', 'x.yml', ...args], { cwd: folder() });

const MODELS: Record<TransformType, string> = {
  embedding: 'embedder',
  sequence_classification: 'sentiment',
  token_classification: 'ner',
  sentence_embedding: 'sentence',
  multi_vector: 'multi-vector',
};

/** A config for the fixture of a model type; `fields` are additional YAML lines. */
function writeConfig(modelType: TransformType, ...fields: string[]): void {
  const path = join(FIXTURES, 'models', MODELS[modelType]);
  const lines = ['name: x', `path: ${path}`, `model_type: ${modelType}`, ...fields];
  writeFileSync(here('x.yml'), ['encoderfile:', ...lines.map((line) => `  ${line}`), ''].join('\n'));
}

function writeScript(script: string, modelType: TransformType = 'sequence_classification'): void {
  writeFileSync(here('mine.lua'), script);
  writeConfig(modelType, 'transform: {path: mine.lua}');
}

describe('encoderfile transform new', () => {
  test.each(TRANSFORM_TYPES)('%s: the generated script works unchanged', async (modelType) => {
    const { exitCode, stdout, stderr } = await make('--model-type', modelType);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const setting = /^Config +(transform: \{.+\}) /m.exec(stdout)?.[1] ?? '';
    expect(parse(setting)).toEqual({ transform: { path: './transform.lua' } });
    writeConfig(modelType, setting);
    expect(
      await runCli(['validate', '-q', '-f', 'x.yml', '--cache-dir', 'cache'], { cwd: folder() }),
    ).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: '',
    });
  });

  test('sentence_embedding: the script also works if the model returns one vector per text', async () => {
    await make('--model-type', 'sentence_embedding');
    writeConfig('sentence_embedding', 'transform: {path: transform.lua}');
    const config = readFileSync(here('x.yml'), 'utf8');
    writeFileSync(here('x.yml'), config.replace('models/sentence', 'models/sentiment'));
    const { exitCode, stdout } = await trial('-q', 'I love this');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /^Input +logits \[1, 2\]\nOutput +vectors \[1, 2\]\n\n {2}-2\.676 +2\.675 +→ +-0\.707\d? +0\.70/m,
    );
  });

  test('rewrites the editor stubs next to the script each time, unless --no-stubs is set', async () => {
    await make('--model-type', 'embedding', '-o', 'lua/a.lua');
    expect(readdirSync(here('lua')).sort()).toEqual(['a.lua', 'encoderfile.lua']);
    expect(readFileSync(here('lua/encoderfile.lua'), 'utf8')).toBe(editorStubs());
    writeFileSync(here('lua/encoderfile.lua'), '---@meta encoderfile\n-- of an older version\n');
    expect((await make('--model-type', 'embedding', '-o', 'lua/b.lua')).exitCode).toBe(0);
    expect(readFileSync(here('lua/encoderfile.lua'), 'utf8')).toBe(editorStubs());
    const { stdout } = await make('--model-type', 'embedding', '--no-stubs', '--json');
    expect(JSON.parse(stdout)).toEqual({ file: here('transform.lua'), modelType: 'embedding' });
    expect(existsSync(here('encoderfile.lua'))).toBe(false);
  });

  test('--quiet prints no output', async () => {
    expect(await make('--model-type', 'embedding', '-q')).toEqual({ exitCode: 0, stdout: '', stderr: '' });
  });

  test('overwrites a script only with --force, and never replaces a user file with the stubs', async () => {
    writeFileSync(here('transform.lua'), 'mine');
    expect((await make('--model-type', 'embedding')).stderr).toBe(
      'Error: transform.lua already exists. Pass --force to overwrite it, or choose another file with --output-path.',
    );
    expect(readdirSync(folder())).toEqual(['transform.lua']);
    expect((await make('--model-type', 'embedding', '--force', '--no-stubs')).exitCode).toBe(0);
    expect(readFileSync(here('transform.lua'), 'utf8')).toContain('function Postprocess(hidden)');

    writeFileSync(here('encoderfile.lua'), 'mine');
    expect((await make('--model-type', 'embedding', '-o', 'other.lua')).stderr).toBe(
      'Error: encoderfile.lua already exists and was not created by encoderfile. Rename it, or pass --no-stubs.',
    );
    expect(readFileSync(here('encoderfile.lua'), 'utf8')).toBe('mine');
    expect(existsSync(here('other.lua'))).toBe(false);
  });

  test.each([
    [['--model-type', 'embedding', '-o', 'folder'], 1, 'folder is a folder. Pass a file with --output-path.'],
    [['--model-type', 'embedding', '-o', 'file/x.lua'], 1, 'one of its parent folders is a file'],
    [['--model-type', 'embedding', '-o', 'encoderfile.lua'], 1, 'is reserved for the type stubs'],
    [['--model-type', 'embeding'], 2, 'embedding, sequence_classification, token_classification'],
    [[], 2, 'Missing required flag --model-type'],
  ])('%j is rejected with a one-sentence error', async (args, exitCode, message) => {
    mkdirSync(here('folder'));
    writeFileSync(here('file'), '');
    const answer = await make(...args);
    expect(answer).toMatchObject({ exitCode, stdout: '' });
    expect(answer.stderr).toContain(message);
    expect(answer.stderr.split('\n')).toHaveLength(1);
  });
});

describe('encoderfile transform test', () => {
  test('shows the labels before and after the transform, and leaves no files behind', async () => {
    writeScript('function Postprocess(logits) return logits * 0 + 0.5 end');
    const { exitCode, stdout, stderr } = await trial('I love this', 'awful');
    expect(exitCode).toBe(0);
    expect(stderr).toContain('✓ Optimizing and running the model');
    const [first = '', second = ''] = stdout.split('\n\n\n');
    expect(first).toMatch(
      /^Text +"I love this", 5 tokens\nInput +logits \[1, 2\]\nOutput +scores \[1, 2\]$/m,
    );
    expect(first).toMatch(/^ {2}NEGATIVE +-2\.67\d +→ +0\.5\n {2}POSITIVE +2\.67\d +→ +0\.5\n\n→ NEGATIVE$/m);
    expect(second).toContain('"awful"');
    expect(readdirSync(folder()).sort()).toEqual(['cache', 'mine.lua', 'x.yml']);
    expect(readdirSync(here('cache/work'))).toEqual([]);
  });

  test('shows labels if the transform returns indices', async () => {
    writeScript('function Postprocess(logits) return logits:argmax(3) end', 'token_classification');
    const { stdout } = await trial('-q', 'Berlin');
    expect(stdout).toMatch(/^Output +indices \[1, 3\]$/m);
    expect(stdout).toMatch(/^ {2}token +O +B-PER .*→ +label$/m);
    expect(stdout).toMatch(/^ {2}Berlin .*→ +B-LOC$/m);
  });

  test('shows the first tokens of a long text, and how many are hidden', async () => {
    writeScript('function Postprocess(hidden) return hidden end', 'embedding');
    const { stdout } = await trial('-q', 'the cat '.repeat(100));
    expect(stdout).toMatch(/^Input +last_hidden_state \[1, 128, 32\]$/m);
    expect(stdout).toMatch(/^ {2}and 88 more; use --json to print all$/m);
  });

  test("--json prints every number; the script's own output goes to stderr", async () => {
    writeScript(
      'function Postprocess(hidden, mask)\n  print("got", hidden:shape()[2], #mask)\n  return hidden:mean_pool(mask)\nend',
      'sentence_embedding',
    );
    const { exitCode, stdout, stderr } = await trial('--json', 'the cat sat');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: 'got\t5\t5' });
    const { config, modelType, texts } = JSON.parse(stdout);
    expect({ config, modelType }).toEqual({ config: 'x.yml', modelType: 'sentence_embedding' });
    const [{ text, tokens, input, mask, output }] = texts;
    expect({ text, tokens }).toEqual({
      text: 'the cat sat',
      tokens: ['[CLS]', 'the', 'cat', 'sat', '[SEP]'],
    });
    expect(input).toMatchObject({ name: 'last_hidden_state', shape: [1, 5, 32] });
    expect(mask).toEqual({ shape: [1, 5], values: [[1, 1, 1, 1, 1]] });
    expect(output).toMatchObject({ kind: 'vectors', shape: [1, 32] });
    const [rows] = input.values as number[][][];
    for (const [column, value] of (output.values[0] as number[]).entries()) {
      const sum = rows?.reduce((total, row) => total + (row[column] ?? 0), 0) ?? 0;
      expect(value).toBeCloseTo(sum / 5, 5);
    }
  });

  test('adds the default prompt to the text, and masks it if the model excludes prompts', async () => {
    const model = copyModel('sentence', here('model'));
    const pooling = join(model, '1_Pooling/config.json');
    const settings = JSON.parse(readFileSync(pooling, 'utf8'));
    writeFileSync(pooling, JSON.stringify({ ...settings, include_prompt: false }));
    writeScript('function Postprocess(hidden, mask) return hidden:mean_pool(mask) end');
    writeFileSync(
      here('x.yml'),
      `encoderfile:
  name: x
  path: ./model
  model_type: sentence_embedding
  prompts: {cat: 'the cat '}
  default_prompt_name: cat
  transform: {path: mine.lua}
`,
    );
    const { stdout } = await trial('--json', 'sat');
    const [{ text, tokens, mask }] = JSON.parse(stdout).texts;
    expect({ text, tokens }).toEqual({
      text: 'the cat sat',
      tokens: ['[CLS]', 'the', 'cat', 'sat', '[SEP]'],
    });
    expect(mask.values).toEqual([[0, 0, 0, 1, 1]]);
  });

  test('an error shows the line number, the line and the text', async () => {
    writeScript('function Postprocess(logits)\n  print("before")\n  return logits:softmax(5)\nend');
    expect(await trial('-q', 'I love this')).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: [
        'before',
        'Error: The transform failed: mine.lua:3: softmax: axis 5 is out of range for a tensor of shape [1, 2]: it has axes 1 to 2, or -1 to -2 from the end.',
        '  3 |   return logits:softmax(5)',
        '  (with logits of shape [1, 2] for "I love this")',
      ].join('\n'),
    });
    const { exitCode, stdout } = await trial('--json', 'I love this');
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout).error.message).toContain('mine.lua:3: softmax');
  });

  test('stops a script that never terminates, and prints its output so far', async () => {
    writeScript('function Postprocess(logits)\n  print("before")\n  string.rep("", 1 << 60)\nend');
    writeConfig('sequence_classification', 'transform: {path: mine.lua}', 'transform_limits: {seconds: 0.1}');
    const { exitCode, stderr } = await trial('-q', 'I love this');
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(
      /^before\nError: The transform failed: a single Lua library call took more than 0\.2 s /,
    );
  });

  test('lua_libs adds libraries', async () => {
    writeScript(
      'function Postprocess(x)\n  print(os and os.getenv, coroutine and coroutine.wrap and "yes")\n  return x\nend',
    );
    expect((await trial('-q', 'a')).stderr).toBe('nil\tnil');
    writeConfig('sequence_classification', 'transform: {path: mine.lua}', 'lua_libs: [os, coroutine]');
    expect((await trial('-q', 'a')).stderr).toBe('nil\tyes');
  });

  test.each([
    [['-q', ''], 1, 'Cannot tokenize empty string'],
    [['-q'], 2, 'Missing argument TEXT. See `encoderfile transform test --help`.'],
    [
      ['-q', 'a'],
      1,
      'x.yml has no `transform` to test. Create one with `encoderfile transform new --model-type embedding`, ' +
        'then add `transform: {path: ./transform.lua}` to the config.',
    ],
  ])('%j is rejected with a one-sentence error', async (args, exitCode, message) => {
    writeConfig('embedding');
    expect(await trial(...args)).toEqual({ exitCode, stdout: '', stderr: `Error: ${message}` });
  });
});

test('there is a template for each model type', () => {
  expect(readdirSync(join(ROOT, 'templates/transform')).sort()).toEqual(
    TRANSFORM_TYPES.map((name) => `${name}.lua`).sort(),
  );
});
