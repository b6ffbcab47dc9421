import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { BUILD_STEPS } from '#cli/packaging/build-steps.ts';
import { copyModel, writeConfig } from '../helpers/model-folder.ts';
import { FIXTURES, TEST_CACHE } from '../helpers/paths.ts';
import { runCliHere as runCli } from '../helpers/cli-here.ts';
import type { Answer } from '../helpers/run-process.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { runExecutable } from './arms.ts';
import { verifiesOnce } from './verifies.ts';

const folder = useTempFolder();
const build = (config: string, ...args: string[]): Promise<Answer> =>
  runCli(['build', '-f', config, '--cache-dir', TEST_CACHE, ...args], { cwd: folder() });

verifiesOnce('build:contract-options', async () => {
  const config = copyModel(folder(), 'sentiment', {
    output_path: 'from-config.encoder',
    cache_dir: '/nonexistent/cache',
  });
  const { exitCode, stdout, stderr } = await build(config, '--no-download', '--platform', 'linux-x64');
  expect({ exitCode, stderr }).toEqual({
    exitCode: 0,
    stderr: expect.stringContaining('Writing the executable'),
  });
  expect(stdout).toContain('from-config.encoder');
  expect(statSync(join(folder(), 'from-config.encoder')).mode & 0o777).toBe(0o755);

  mkdirSync(join(folder(), 'out'));
  expect((await build(config, '--output-dir', 'out')).exitCode).toBe(0);
  expect(existsSync(join(folder(), 'out', 'model.encoder'))).toBe(true);

  // A model executable is also a base runtime: its own model is removed.
  const base = join(folder(), 'from-config.encoder');
  const json = await build(
    config,
    '-o',
    'again',
    '--base-binary-path',
    base,
    '--json',
    '--runtime-version',
    '0.1.0',
  );
  expect(JSON.parse(json.stdout)).toMatchObject({ kind: 'executable', manifest: { name: 'model' } });
  expect(statSync(join(folder(), 'again')).size).toBe(statSync(base).size);
  expect((await runExecutable(join(folder(), 'again'), ['infer', 'I love this'])).stdout).toContain(
    'POSITIVE',
  );

  expect((await build(config, '--runtime-version', '9.9.9')).stderr).toMatch(
    /Error: No base runtime 9\.9\.9 .* in /,
  );
  expect((await build(config, '--base-binary-path', config)).stderr).toMatch(/is not an encoderfile/);
});

verifiesOnce('build:default-output', async () => {
  const names = {
    'org/my model': 'org-my-model.encoder',
    模型: '模型.encoder',
    ['n'.repeat(200)]: `${'n'.repeat(200)}.encoder`,
  };
  for (const [name, file] of Object.entries(names)) {
    const config = copyModel(folder(), 'sentiment', { name });
    expect((await build(config, '--quiet')).exitCode).toBe(0);
    const { stdout } = await runExecutable(join(folder(), file), ['inspect', '--json']);
    expect(JSON.parse(stdout).model.name).toBe(name);
  }
});

verifiesOnce('build:assets', async () => {
  const config = copyModel(folder());
  expect((await build(config, '--no-build', '-o', 'x.encoder')).exitCode).toBe(0);
  expect(readdirSync(join(folder(), 'x.assets')).sort()).toEqual([
    'config.json',
    'graph.onnx',
    'manifest.json',
    'tokenizer.json',
    'weights.bin',
  ]);
  expect(existsSync(join(folder(), 'x.encoder'))).toBe(false);
  writeConfig(folder(), { build: false });
  expect((await build(config)).exitCode).toBe(0);
  expect(existsSync(join(folder(), 'model.assets', 'graph.onnx'))).toBe(true);
  writeFileSync(join(folder(), 'model.assets', 'mine.txt'), 'keep');
  expect((await build(config)).stderr).toMatch(/it contains other files \(mine\.txt\)/);
});

verifiesOnce('build:timing', async () => {
  const config = copyModel(folder());
  const timed = await build(config, '--timing', '--json');
  expect(JSON.parse(timed.stdout)).toMatchObject({ kind: 'executable' });
  const { timing } = JSON.parse(timed.stderr);
  const steps = new Map<string, { start_ms: number; ms: number }>(
    timing.steps.map((step: { step: string }) => [step.step, step]),
  );
  const unused = ['transform', 'distill', 'quantize'];
  expect([...steps.keys(), ...unused].toSorted()).toEqual(Object.keys(BUILD_STEPS).toSorted());
  const [run, write] = [steps.get('run'), steps.get('write')];
  expect(write?.start_ms).toBeLessThan(run?.start_ms ?? 0);
  expect(timing.total_ms).toBeGreaterThan((run?.start_ms ?? Infinity) + (run?.ms ?? 0));
  const { stderr } = await build(config, '--timing', '--quiet');
  expect(stderr).toMatch(/^ start ms +ms {2}step\n +0\.0 +[\d.]+ {2}node: start Node\n/);
});

verifiesOnce('build:missing-files', async () => {
  const cases: [fields: Record<string, unknown>, message: RegExp][] = [
    [{ path: './nowhere' }, /Error: No such directory: .*nowhere/],
    [{ path: './empty' }, /Error: No such file: model\.onnx/],
    [{ path: './no-config' }, /Error: Could not locate model config at path/],
    [
      { path: './no-tokenizer' },
      /Error: Could not locate model config at path .*no-tokenizer\/tokenizer\.json\. The model needs/,
    ],
    [
      {
        path: {
          model_config_path: 'model/config.json',
          model_weights_path: 'model/none.onnx',
          tokenizer_path: 'model/tokenizer.json',
        },
      },
      /Error: No such file: none\.onnx/,
    ],
  ];
  copyModel(folder());
  for (const name of ['empty', 'no-config', 'no-tokenizer']) mkdirSync(join(folder(), name));
  for (const name of ['no-config', 'no-tokenizer']) writeFileSync(join(folder(), name, 'model.onnx'), 'x');
  writeFileSync(join(folder(), 'no-tokenizer', 'config.json'), '{}');
  for (const [fields, message] of cases) expectRefusal(await build(writeConfig(folder(), fields)), message);
  expectRefusal(await build(join(folder(), 'none.yml')), /Error: No such config file: .*none\.yml/);
});

verifiesOnce('build:bad-model', async () => {
  const config = copyModel(folder());
  const onnx = join(folder(), 'model', 'model.onnx');
  const whole = readFileSync(onnx);
  const broken = (name: string): Buffer => readFileSync(join(FIXTURES, 'broken', name));
  const cases: [content: Uint8Array, message: RegExp][] = [
    [Buffer.alloc(0), /model\.onnx is empty/],
    [whole.subarray(0, whole.length / 2), /ONNX Runtime cannot load /],
    [Buffer.from('<html>not found</html>'), /ONNX Runtime cannot load /],
    [
      broken('not-an-encoder.onnx'),
      /is not a text encoder: it has no input `input_ids`|requires the input `x`/,
    ],
    [
      broken('extra-input.onnx'),
      /requires the input `pixel_values`, as image models do. Set `model_type` to a type that reads images/,
    ],
    [broken('float-input.onnx'), /input `input_ids` has type float32, but int64 or int32 is required/],
    [
      broken('wrong-output-name.onnx'),
      /Model must return logits for model_type sequence_classification.*`output_0`/,
    ],
    [broken('int-logits.onnx'), /output `logits` has type int64, but a floating-point type is required/],
  ];
  for (const [content, message] of cases) {
    writeFileSync(onnx, content);
    expectRefusal(await build(config), message);
  }
  writeFileSync(onnx, broken('wrong-rank.onnx'));
  writeConfig(folder(), { model_type: 'embedding' });
  expectRefusal(
    await build(config),
    /Model must return tensor of shape \[batch_size, sequence_length, hidden_size\]/,
  );
  expect(existsSync(join(folder(), 'model.encoder'))).toBe(false);
});

verifiesOnce('build:bad-tokenizer', async () => {
  const config = copyModel(folder());
  const tokenizer = join(folder(), 'model', 'tokenizer.json');
  const own = JSON.parse(readFileSync(tokenizer, 'utf8'));
  own.model.vocab = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`t${index}`, index]));
  for (const special of own.added_tokens) own.model.vocab[special.content] = special.id;
  const cases: [content: string, message: RegExp][] = [
    ['{"model":', /tokenizer\.json is not valid JSON/],
    ['[]', /must contain a JSON object/],
    ['{"version":"1.0"}', /Invalid tokenizer .*tokenizer\.json: /],
    [
      JSON.stringify(own),
      /has \d+ tokens, but .*model\.onnx has only \d+\. Both must come from the same model/,
    ],
  ];
  for (const [content, message] of cases) {
    writeFileSync(tokenizer, content);
    expectRefusal(await build(config), message);
  }
});

verifiesOnce('build:bad-labels', async () => {
  const config = copyModel(folder(), 'ner', { model_type: 'token_classification' });
  const path = join(folder(), 'model', 'config.json');
  const {
    id2label,
    label2id: _label2id,
    num_labels: _count,
    ...rest
  } = JSON.parse(readFileSync(path, 'utf8'));
  const { 8: _last, ...tooFew } = id2label;
  const cases: [content: object, message: RegExp][] = [
    [rest, /has no `id2label`, but token_classification requires a label for each of the 9 values/],
    [{ ...rest, id2label: tooFew }, /has 8 labels, but the model returns 9 values/],
    [{ ...rest, id2label: { ...tooFew, 12: 'X' } }, /`id2label` has no label for index 8/],
    [{ ...rest, id2label: { a: 'X' } }, /contains "a", but an index/],
  ];
  for (const [content, message] of cases) {
    writeFileSync(path, JSON.stringify(content));
    expectRefusal(await build(config), message);
  }
});

verifiesOnce('build:bad-config', async () => {
  const path = join(folder(), 'bad.yml');
  writeFileSync(path, 'encoderfile:\n  nam: x\n  path: 3\n  model_type: embeding\n');
  const { exitCode, stderr } = await build(path);
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/bad\.yml:2:3 {2}encoderfile: unknown key `nam`; did you mean `name`\?/);
  expect(stderr).toMatch(/bad\.yml:3:9 {2}encoderfile\.path: /);
  expect(stderr).toMatch(/bad\.yml:4:15 {2}encoderfile\.model_type: .*`embedding`/);
});

function expectRefusal({ exitCode, stdout, stderr }: Answer, message: RegExp): void {
  const lines = stderr.split('\n').filter((line) => !line.startsWith('✓'));
  expect(lines.join('\n')).toMatch(message);
  expect(lines).toHaveLength(1);
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
}
