import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { MODEL_TYPE_NAMES } from '#contract/model-types.ts';
import { describe, expect, test } from 'vitest';
import { parseConfig } from '#cli/config/load.ts';
import { copyModel } from '../../helpers/models.ts';
import { runCliHere as runCli } from '../../helpers/cli-here.ts';
import { FIXTURES, TEST_CACHE } from '../../helpers/paths.ts';
import { useTempFolder } from '../../helpers/temp-folder.ts';

const folder = useTempFolder();
const run = (...args: string[]) => runCli(['init', ...args], { cwd: folder() });
const written = (file = 'encoderfile.yml') =>
  parseConfig(readFileSync(join(folder(), file), 'utf8'), file, process.env);

describe('encoderfile init', () => {
  test.each([
    ['sentiment', 'sequence_classification'],
    ['ner', 'token_classification'],
    ['embedder', 'embedding'],
    ['sentence', 'sentence_embedding'],
  ])('writes a valid config for %s and reports its findings', async (model, modelType) => {
    copyModel(model, join(folder(), model));
    const { exitCode, stdout, stderr } = await run(model);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(written()).toMatchObject({ name: model, modelType, model: { kind: 'folder', folder: model } });
    expect(stdout).toContain('./encoderfile.yml');
    expect(stdout).toMatch(new RegExp(`^Type +${modelType} \\(`, 'm'));
    expect(stdout).toMatch(/^Found +model\.onnx, config\.json, tokenizer\.json, tokenizer_config\.json$/m);
    expect(stdout).not.toContain('Missing');
  });

  test.each([
    ['shapes', 'image_classification', 'preprocessor_config.json'],
    ['patches', 'image_embedding', 'preprocessor_config.json'],
    ['regions', 'image_segmentation', 'preprocessor_config.json'],
    ['boxes', 'object_detection', 'preprocessor_config.json'],
    ['clip', 'image_text_embedding', 'tokenizer.json, tokenizer_config.json, preprocessor_config.json'],
  ])(
    'writes a config for %s, which reads images, with which builds work',
    async (model, modelType, files) => {
      copyModel(model, join(folder(), model));
      const { exitCode, stdout, stderr } = await run(model);
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
      expect(written()).toMatchObject({ name: model, modelType, model: { kind: 'folder', folder: model } });
      expect(stdout).toMatch(new RegExp(`^Type +${modelType} \\(`, 'm'));
      expect(stdout).toMatch(new RegExp(`^Found +model\\.safetensors, config\\.json, ${files}$`, 'm'));
      expect(stdout).not.toContain('Missing');
      const build = ['build', '-q', '--no-build', '-o', 'x.encoder', '--cache-dir', TEST_CACHE];
      expect(await runCli(build, { cwd: folder() })).toMatchObject({ exitCode: 0, stderr: '' });
      const manifest = JSON.parse(readFileSync(join(folder(), 'x.assets/manifest.json'), 'utf8'));
      expect(manifest.modelType).toBe(modelType);
    },
  );

  test('finds the settings for images under both names, and reports that they are missing', async () => {
    const model = copyModel('boxes', join(folder(), 'model'));
    renameSync(join(model, 'preprocessor_config.json'), join(model, 'processor_config.json'));
    expect((await run('model')).stdout).toMatch(/^Found .+, processor_config\.json$/m);
    rmSync(join(model, 'processor_config.json'));
    expect((await run('model', '--force')).stdout).toMatch(/^Missing +preprocessor_config\.json$/m);
  });

  test('writes a config that validate accepts', async () => {
    copyModel('sentiment', join(folder(), 'model'));
    await run('model');
    const env = { XDG_CACHE_HOME: folder() };
    const { exitCode, stderr } = await runCli(['validate', '-q', '-f', 'encoderfile.yml'], {
      cwd: folder(),
      env,
    });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  });

  test('writes the model path relative to the config file, and uses the values of the flags', async () => {
    copyModel('sentiment', join(folder(), 'my model'));
    mkdirSync(join(folder(), 'configs'));
    const flags = ['-o', 'configs/x.yml', '--name', 'org/a: b', '--model-type', 'embedding', '--json'];
    const { exitCode, stdout } = await run('my model', ...flags);
    expect(exitCode).toBe(0);
    expect(readFileSync(join(folder(), 'configs/x.yml'), 'utf8')).toContain('\n  path: ../my model\n');
    expect(written('configs/x.yml')).toMatchObject({ name: 'org/a: b', modelType: 'embedding' });
    expect(JSON.parse(stdout)).toMatchObject({ name: 'org/a: b', modelType: 'embedding', guessed: false });
  });

  test('uses the current folder by default', async () => {
    copyModel('sentiment', folder());
    expect((await run()).exitCode).toBe(0);
    expect(readFileSync(join(folder(), 'encoderfile.yml'), 'utf8')).toContain('\n  path: .\n');
  });

  test('copies the license from the model card', async () => {
    const model = copyModel('sentiment', join(folder(), 'model'));
    writeFileSync(join(model, 'README.md'), '---\nlicense: cc-by-4.0\ntags: [a\n---\n# Sentiment\n');
    const { exitCode, stdout, stderr } = await run('model');
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: 'Warning: README.md: `tags` is ignored, because it is too long or not valid YAML.',
    });
    expect(stdout).toMatch(/^License +cc-by-4\.0$/m);
    expect(written().license).toBe('cc-by-4.0');
    expect(await run('model', '--force', '-o', 'model/README.md')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('it is a model file'),
    });
  });

  test('overwrites only when forced', async () => {
    copyModel('sentiment', join(folder(), 'model'));
    writeFileSync(join(folder(), 'encoderfile.yml'), 'mine');
    expect(await run('model')).toEqual({
      exitCode: 1,
      stdout: '',
      stderr:
        'Error: encoderfile.yml already exists. Pass --force to overwrite it, or choose another file with --output-path.',
    });
    expect(readFileSync(join(folder(), 'encoderfile.yml'), 'utf8')).toBe('mine');
    expect((await run('model', '--force')).exitCode).toBe(0);
    expect(written().name).toBe('model');
    const onModel = await run('model', '--force', '-o', 'model/config.json');
    expect(onModel).toMatchObject({
      exitCode: 1,
      stderr: 'Error: Cannot write model/config.json: it is a model file. Choose another output path.',
    });
  });

  test.each([
    ['model.onnx', 'model.onnx', 'No such file: model.onnx (searched in model).'],
    ['tokenizer.json', 'tokenizer.json', 'model has no tokenizer.json.'],
    ['everything', '', 'No such file: model.onnx (searched in model).'],
  ])('fails without %s and writes no files', async (_, name, message) => {
    const model = copyModel('sentiment', join(folder(), 'model'));
    rmSync(join(model, name), { recursive: true });
    mkdirSync(model, { recursive: true });
    const { exitCode, stdout, stderr } = await run('model');
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toContain(`Error: ${message}`);
    expect(stderr.split('\n')).toHaveLength(1);
    expect(existsSync(join(folder(), 'encoderfile.yml'))).toBe(false);
  });

  test('warns if no file states the model type, unless the type is passed', async () => {
    const model = copyModel('embedder', join(folder(), 'model'));
    rmSync(join(model, 'config.json'));
    cpSync(join(FIXTURES, 'graphs/pooler-output-alone.onnx'), join(model, 'model.onnx'));
    const guessed = await run('model');
    expect(guessed).toMatchObject({
      exitCode: 0,
      stderr:
        'Warning: The files in model do not specify the model type, so `model_type` is a guess. Correct it in encoderfile.yml if necessary.',
    });
    expect(await run('model', '--force', '--model-type', 'sentence_embedding')).toMatchObject({
      exitCode: 0,
      stderr: '',
    });
  });

  test('fails in an empty folder and writes no files', async () => {
    expect(await run()).toMatchObject({ exitCode: 1, stdout: '' });
    expect(readdirSync(folder())).toEqual([]);
  });

  test('lists the graphs in a folder, and selects one if model.onnx is missing', async () => {
    const model = copyModel('sentiment', join(folder(), 'model'));
    mkdirSync(join(model, 'onnx'));
    for (const name of ['fp16', 'q4'])
      cpSync(join(model, 'model.onnx'), join(model, `onnx/model_${name}.onnx`));
    const plain = await run('model');
    expect(plain.stdout).toMatch(
      /^Variants +model \(model\.onnx, [^)]+\)\n +fp16 \(onnx\/model_fp16\.onnx, /m,
    );
    expect(plain.stdout).toMatch(/^Chosen +model: full precision/m);
    expect(written().model).toMatchObject({ variant: undefined });
    rmSync(join(model, 'model.onnx'));
    const { stdout } = await run('model', '--force');
    expect(stdout).toMatch(/^Chosen +fp16: the least precision loss, because there is no model\.onnx$/m);
    expect(written().model).toMatchObject({ folder: 'model', variant: 'fp16' });
  });

  test('names a model in the Hugging Face cache after its repository', async () => {
    const path = 'models--BAAI--bge-small-en-v1.5/snapshots/5c38ec7c405ec4b44b94cc5a9bb96e735b38267a';
    copyModel('embedder', join(folder(), path));
    await run(path);
    expect(written()).toMatchObject({
      name: 'bge-small-en-v1.5',
      modelType: 'sentence_embedding',
      model: { folder: path },
    });
    expect(readFileSync(join(folder(), 'encoderfile.yml'), 'utf8')).toMatch(
      /^# yaml-language-server: \$schema=\.\/encoderfile\.schema\.json\n/,
    );
  });

  test.each([
    [['nosuch'], 'No such directory: nosuch. Pass a model folder.'],
    [['file'], 'file is a file. Pass the folder that contains the model.'],
    [['model', '-o', 'model'], 'model is a folder. Pass a file with --output-path.'],
    [['model', '-o', 'file/x.yml'], `one of its parent folders is a file. Choose another output path.`],
    [['model', '--name', ''], 'encoderfile.name: must not be empty'],
    [['broken'], 'config.json is not valid JSON'],
  ])('%j is rejected with a one-sentence error', async (args, message) => {
    copyModel('sentiment', join(folder(), 'model'));
    mkdirSync(join(folder(), 'broken'));
    writeFileSync(join(folder(), 'broken/config.json'), '{');
    writeFileSync(join(folder(), 'file'), '');
    const { exitCode, stdout, stderr } = await run(...args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr.split('\n')).toHaveLength(1);
  });

  test('an unknown model type is a usage error that lists the known types', async () => {
    const { exitCode, stderr } = await run('--model-type', 'classifier');
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`one of: ${MODEL_TYPE_NAMES.join(', ')}.`);
  });
});
