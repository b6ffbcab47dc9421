import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { runCliHere as runCli } from '../helpers/cli-here.ts';
import { FIXTURES, TEST_CACHE } from '../helpers/paths.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { verifiesOnce } from './verifies.ts';

const folder = useTempFolder();

verifiesOnce('zero_shot_ner:guess', async () => {
  const source = join(FIXTURES, 'models/gliner-span');
  const files = ['model.onnx', 'tokenizer.json', 'tokenizer_config.json', 'gliner_config.json'];
  const copy = (name: string, kept: readonly string[], change: object = {}): string => {
    const to = join(folder(), name);
    mkdirSync(to);
    for (const file of kept) copyFileSync(join(source, file), join(to, file));
    const config = JSON.parse(readFileSync(join(source, 'gliner_config.json'), 'utf8')) as object;
    writeFileSync(join(to, 'gliner_config.json'), JSON.stringify({ ...config, ...change }));
    return to;
  };
  const whole = copy('whole', files);
  const proposed = await runCli(['init', whole, '-o', join(folder(), 'new.yml')]);
  expect([proposed.exitCode, proposed.stderr]).toEqual([0, '']);
  expect(readFileSync(join(folder(), 'new.yml'), 'utf8')).toContain('model_type: zero_shot_ner');
  const built = await runCli([
    'build',
    whole,
    '--no-build',
    '-o',
    join(folder(), 'whole.assets'),
    '--cache-dir',
    TEST_CACHE,
  ]);
  expect(built).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining(
      'No config file: whole is of type zero_shot_ner, because it has gliner_config.json',
    ),
  });

  const weights = copy('weights', ['tokenizer.json']);
  writeFileSync(join(weights, 'pytorch_model.bin'), '');
  const lua = join(folder(), 'lua.yml');
  const lines = ['name: x', `path: ${whole}`, 'model_type: zero_shot_ner', 'long_texts: truncate'];
  writeFileSync(
    lua,
    ['encoderfile:', ...[...lines, 'transform: return nil'].map((line) => `  ${line}`)].join('\n'),
  );
  const wrongType = join(folder(), 'embedding.yml');
  writeFileSync(wrongType, `encoderfile: {name: x, path: ${whole}, model_type: embedding}`);
  const refused: readonly [string[], RegExp][] = [
    [
      [weights],
      /Cannot read .*pytorch_model\.bin: it is not an uncompressed zip archive as written by torch\./,
    ],
    [
      [copy('relations', files, { relations_layer: 'x' })],
      /has `relations_layer`: the model finds relations, which is not supported\. Only GLiNER models that find/,
    ],
    [
      [copy('width', files, { max_width: 5 })],
      /failed on a sample text|returns a tensor of shape .*gliner_config\.json that belongs to the model\./,
    ],
    [
      [copy('level', files, { ent_token: '<<TYPE>>' })],
      /`class_token_index` is 103, but with the tokens that gliner adds, the tokenizer has <<TYPE>> as token 106/,
    ],
    [['-f', lua], /long_texts: truncate is not supported for model_type zero_shot_ner/],
    [['-f', lua], /transform: is not supported for model_type zero_shot_ner/],
    [
      ['-f', wrongType],
      /requires the input `\w+`, which only GLiNER models have\. Set `model_type` to zero_shot_ner\./,
    ],
  ];
  for (const [args, message] of refused) {
    const { exitCode, stderr } = await runCli(['validate', ...args, '--cache-dir', TEST_CACHE]);
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(message)]);
  }
  const args = ['transform', 'new', '--model-type', 'zero_shot_ner', '-o', join(folder(), 'x.lua')];
  const { exitCode, stderr } = await runCli(args);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('to be one of: embedding,')]);
});
