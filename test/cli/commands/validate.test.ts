import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { copyModel } from '../../helpers/models.ts';
import { FIXTURES } from '../../helpers/paths.ts';
import { runCliHere as runCli } from '../../helpers/cli-here.ts';
import { runCli as runCliProcess } from '../../helpers/run-cli.ts';
import { useTempFolder } from '../../helpers/temp-folder.ts';

const folder = useTempFolder();
const validate = (...args: string[]) =>
  runCli(['validate', '--cache-dir', join(folder(), 'cache'), ...args], { cwd: folder() });

function writeConfig(modelType: string): void {
  copyModel('sentiment', join(folder(), 'model'));
  writeFileSync(
    join(folder(), 'x.yml'),
    `encoderfile:\n  name: mine\n  path: ./model\n  model_type: ${modelType}\n`,
  );
}

describe('encoderfile validate', () => {
  test('prints its findings and leaves no files behind', async () => {
    writeConfig('sequence_classification');
    const { exitCode, stdout, stderr } = await validate('-f', 'x.yml');
    expect(exitCode).toBe(0);
    expect(stderr).toContain('✓ Checking the model files');
    expect(stdout).toMatch(/^Model +mine 0\.1\.0$/m);
    expect(stdout).toMatch(/^Type +sequence_classification, 2 dimensions$/m);
    expect(stdout).toMatch(/^Labels +NEGATIVE, POSITIVE$/m);
    expect(stdout).toMatch(/^Scores +softmax of the logits$/m);
    expect(stdout).toMatch(/^Inputs +input_ids, attention_mask, token_type_ids$/m);
    expect(stdout).toMatch(/^Precision +float32$/m);
    expect(stdout).toMatch(/^Tokens +\d+ in the vocabulary; texts up to 128, truncated on the right$/m);
    expect(readdirSync(folder()).sort()).toEqual(['cache', 'model', 'x.yml']);
    expect(readdirSync(join(folder(), 'cache/work'))).toEqual([]);
  });

  test('--json prints the config path and the manifest as JSON', async () => {
    const config = join(FIXTURES, 'models/ner/encoderfile.yml');
    const { exitCode, stdout, stderr } = await validate('-f', config, '--json');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({
      config,
      manifest: { modelType: 'token_classification', output: 'logits', precision: 'float32' },
    });
  });

  test('a vocabulary file can replace tokenizer.json, and the manifest stays the same', async () => {
    writeConfig('sequence_classification');
    const model = join(folder(), 'model');
    const before = await validate('-f', 'x.yml', '--json');
    const path = join(model, 'tokenizer.json');
    const { model: content } = JSON.parse(readFileSync(path, 'utf8')) as {
      model: { vocab: Record<string, number> };
    };
    const tokens = Object.entries(content.vocab).toSorted(([, a], [, b]) => a - b);
    writeFileSync(join(model, 'vocab.txt'), tokens.map(([token]) => `${token}\r\n`).join(''));
    rmSync(path);
    const after = await validate('-f', 'x.yml', '--json');
    expect(after.stderr).toBe('');
    expect(JSON.parse(after.stdout)).toEqual({
      ...(JSON.parse(before.stdout) as object),
      tokenizerOrigin: 'vocab.txt (BertTokenizer)',
      files: expect.objectContaining({ tokenizer: 'model/vocab.txt' }),
    });
    const { stdout } = await validate('-f', 'x.yml');
    expect(stdout).toMatch(/^Tokenizer +vocab\.txt \(BertTokenizer\)$/m);
  });

  test('an environment variable can set the path of the config file', async () => {
    const env = { ENCODERFILE_CONFIG: join(FIXTURES, 'models/ner/encoderfile.yml') };
    const args = ['validate', '-q', '--cache-dir', join(folder(), 'cache')];
    expect(await runCli(args, { env })).toEqual({ exitCode: 0, stdout: '', stderr: '' });
  });

  test('detects a wrong model type by running the model', async () => {
    writeConfig('token_classification');
    const { exitCode, stdout, stderr } = await validate('-f', 'x.yml', '-q');
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toMatch(/^Error: .*\[batch_size, num_tokens, num_labels\]/);
  });

  test('reads a config from stdin, with paths relative to the current folder', async () => {
    writeConfig('sequence_classification');
    const input = readFileSync(join(folder(), 'x.yml'), 'utf8');
    const options = { cwd: folder() };
    const valid = await runCliProcess(['validate', '-f', '-', '-q', '--json'], { ...options, input });
    expect(JSON.parse(valid.stdout)).toMatchObject({ manifest: { name: 'mine' } });
    const invalid = await runCliProcess(['validate', '-f', '-'], { ...options, input: 'encoderfile: {"nme' });
    expect(invalid).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/^Error: stdin:1:\d+ /) });
  });

  test('rejects an invalid model with the same error as build', async () => {
    writeConfig('sequence_classification');
    copyFileSync(join(FIXTURES, 'broken/not-an-encoder.onnx'), join(folder(), 'model/model.onnx'));
    const answers = [
      await validate('-q', '-f', 'x.yml'),
      await runCli(['build', '-q', '-f', 'x.yml'], { cwd: folder() }),
    ];
    expect(answers[0]?.exitCode).toBe(1);
    expect(answers[0]).toEqual(answers[1]);
  });

  test('a missing file causes a specific error', async () => {
    writeConfig('sequence_classification');
    rmSync(join(folder(), 'model/tokenizer.json'));
    const { exitCode, stderr } = await validate('-q', '-f', 'x.yml');
    expect(exitCode).toBe(1);
    expect(stderr).toBe(
      'Error: Could not locate model config at path model/tokenizer.json. The model needs one of: tokenizer.json, vocab.txt, vocab.json with merges.txt, or a sentencepiece model (sentencepiece.bpe.model, spiece.model, spm.model, sentencepiece.model, tokenizer.model).',
    );
  });

  test.each([
    ['nosuch.yml', 'No such config file: nosuch.yml. Create one with `encoderfile init`.'],
    ['.', '. is a folder. Pass the YAML file in it.'],
  ])('%s is rejected', async (file, message) => {
    expect(await validate('-f', file)).toEqual({ exitCode: 1, stdout: '', stderr: `Error: ${message}` });
  });
});
