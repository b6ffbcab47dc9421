import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { copyModel } from '../../helpers/models.ts';
import { runCliHere as runCli } from '../../helpers/cli-here.ts';
import { useTempFolder } from '../../helpers/temp-folder.ts';

const folder = useTempFolder();
const validate = (...args: string[]) =>
  runCli(['validate', '--cache-dir', join(folder(), 'cache'), ...args], { cwd: folder() });

/** Copies a model with its graphs in `onnx/`, as on Hugging Face. */
function hubModel(name: string, target: string): string {
  const model = copyModel(name, join(folder(), target));
  mkdirSync(join(model, 'onnx'));
  renameSync(join(model, 'model.onnx'), join(model, 'onnx/model.onnx'));
  return model;
}

describe('model folders', () => {
  test("without a config file, all settings come from the model's files", async () => {
    const model = hubModel('sentiment', 'sentiment');
    cpSync(join(model, 'onnx/model.onnx'), join(model, 'onnx/model_fp16.onnx'));
    const { exitCode, stdout, stderr } = await validate('sentiment', '--variant', 'fp16');
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: expect.stringContaining(
        'No config file: sentiment is of type sequence_classification, because config.json names BertForSequenceClassification\n',
      ),
    });
    expect(stdout).toMatch(/^Weights +.*sentiment\/onnx\/model_fp16\.onnx$/m);
    expect(stdout).toMatch(/^Ready +encoderfile build sentiment --variant fp16$/m);
  });

  test('weights in onnx/, a config file in the current folder, and its `variant` are supported', async () => {
    const model = copyModel('external-data', join(folder(), 'model'));
    mkdirSync(join(model, 'onnx'));
    for (const name of ['model.onnx', 'model.onnx_data'])
      renameSync(join(model, name), join(model, 'onnx', name));
    const type = 'token_classification';
    const text = `encoderfile:\n  name: x\n  path: ./model\n  variant: onnx/model.onnx\n  model_type: ${type}\n`;
    writeFileSync(join(folder(), 'encoderfile.yaml'), text);
    const { exitCode, stdout } = await validate('--json');
    expect({ exitCode, manifest: JSON.parse(stdout).manifest }).toMatchObject({
      exitCode: 0,
      manifest: { source: { graph: 'onnx/model.onnx' } },
    });
  });

  test('a folder that contains only X.onnx and X-tokenizer.json is supported', async () => {
    const model = copyModel('embedder', join(folder(), 'all-minilm-l6-v2'));
    for (const name of ['config.json', 'tokenizer_config.json']) rmSync(join(model, name));
    renameSync(join(model, 'model.onnx'), join(model, 'all-minilm-l6-v2.onnx'));
    renameSync(join(model, 'tokenizer.json'), join(model, 'all-minilm-l6-v2-tokenizer.json'));
    const { exitCode, stdout, stderr } = await validate('all-minilm-l6-v2');
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: expect.stringContaining('is of type sentence_embedding'),
    });
    expect(stdout).toMatch(/^Tokenizer +all-minilm-l6-v2-tokenizer\.json$/m);
    const written = await runCli(['init', '--json', 'all-minilm-l6-v2'], { cwd: folder() });
    expect(JSON.parse(written.stdout).files).toContainEqual({
      name: 'all-minilm-l6-v2-tokenizer.json',
      required: true,
      present: true,
    });
    cpSync(join(model, 'all-minilm-l6-v2-tokenizer.json'), join(model, 'b-tokenizer.json'));
    renameSync(join(model, 'all-minilm-l6-v2-tokenizer.json'), join(model, 'a-tokenizer.json'));
    rmSync(join(model, 'encoderfile.yml'), { force: true });
    expect((await validate('-q', 'all-minilm-l6-v2')).stderr).toContain(
      'has no tokenizer.json, but 2 other tokenizers: a-tokenizer.json, b-tokenizer.json. Choose one',
    );
  });

  test('a known model family sets pooling without sentence-transformers files', async () => {
    copyModel('embedder', join(folder(), 'bge-small-en-v1.5'));
    const { stdout, stderr } = await validate('bge-small-en-v1.5', '--json');
    expect(stderr).toBe('');
    expect(JSON.parse(stdout).manifest.sentence).toMatchObject({
      pooling: 'cls',
      normalize: true,
      prompts: { query: { text: 'Represent this sentence for searching relevant passages: ' } },
    });
    expect((await validate('bge-small-en-v1.5')).stderr).toContain(
      'Pooling: cls, L2-normalized (bge family, from the name bge-small-en-v1.5)',
    );
  });

  test('if pooling is assumed for an unknown model family, a warning is printed, unless the config sets pooling', async () => {
    const model = copyModel('embedder', join(folder(), 'model'));
    rmSync(join(model, 'config.json'));
    const text = 'encoderfile:\n  name: x\n  path: ./model\n  model_type: sentence_embedding\n';
    writeFileSync(join(folder(), 'x.yml'), text);
    const assumed = await validate('-f', 'x.yml');
    expect(assumed.exitCode).toBe(0);
    expect(assumed.stderr).toContain('Warning: Pooling is assumed to be mean, not normalized: ');
    writeFileSync(join(folder(), 'x.yml'), `${text}  pooling: mean\n`);
    expect((await validate('-f', 'x.yml')).stderr).not.toContain('Pooling');
  });

  test('a classifier without config.json is rejected', async () => {
    const model = copyModel('sentiment', join(folder(), 'model'));
    rmSync(join(model, 'config.json'));
    const { exitCode, stderr } = await validate('-q', 'model');
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr:
        "Error: Could not locate model config at path model/config.json. model_type sequence_classification requires it for labels and scores: save it with the model's `save_pretrained`.",
    });
  });

  test.each([
    [['nosuch'], 1, 'No such directory: nosuch. Pass a model folder.'],
    [['org/name'], 1, 'Pass a model folder, or hf:org/name for a Hugging Face Hub model.'],
    [['x.yml'], 1, 'No such file: b'],
    [['notes.txt'], 1, 'notes.txt is not a model file. Pass a model folder, or a config file with -f.'],
    [['two/model.safetensors'], 1, 'Found both two/encoderfile.yml and two/encoderfile.yaml.'],
    [
      ['empty'],
      1,
      'No such file: model.onnx (searched in empty). Pass a model folder with an ONNX graph, model.safetensors or pytorch_model.bin.',
    ],
    [['two'], 1, 'Found both two/encoderfile.yml and two/encoderfile.yaml.'],
    [['-f', 'x.yml', 'empty'], 2, '--config and the folder "empty" cannot be combined. Pass one of them.'],
    [['-f', 'x.yml', '--variant', 'q4'], 1, '--variant requires `path` in x.yml to be a folder'],
    [[], 2, 'Missing required flag --config: the current folder has no encoderfile.yml.'],
  ])('%j is rejected', async (args, code, message) => {
    for (const name of ['empty', 'two']) mkdirSync(join(folder(), name));
    writeFileSync(join(folder(), 'notes.txt'), '');
    writeFileSync(join(folder(), 'two/model.safetensors'), '');
    for (const name of ['yml', 'yaml']) writeFileSync(join(folder(), `two/encoderfile.${name}`), '');
    const path = '{model_config_path: a, model_weights_path: b, tokenizer_path: c}';
    writeFileSync(join(folder(), 'x.yml'), `encoderfile: {name: x, path: ${path}, model_type: embedding}`);
    const { exitCode, stderr } = await validate('-q', ...args);
    expect({ exitCode, stderr }).toEqual({ exitCode: code, stderr: expect.stringContaining(message) });
  });
});

describe('the path of a model file', () => {
  test.each([
    ['model/model.onnx', 'model.onnx'],
    ['model/onnx/model_fp16.onnx', 'onnx/model_fp16.onnx'],
    ['model/config.json', 'model.onnx'],
    ['./model/tokenizer.json', 'model.onnx'],
  ])('%s selects the model in its folder', async (file, weights) => {
    const model = copyModel('embedder', join(folder(), 'model'));
    mkdirSync(join(model, 'onnx'));
    cpSync(join(model, 'model.onnx'), join(model, 'onnx/model_fp16.onnx'));
    const { exitCode, stdout, stderr } = await validate(file, '--model-type', 'sentence_embedding');
    expect({ exitCode, stderr: stderr.match(/^Error.*/m)?.[0] }).toEqual({ exitCode: 0, stderr: undefined });
    expect(stdout).toMatch(new RegExp(`^Weights +model/${weights}$`, 'm'));
    expect(stdout).toMatch(/^Type +sentence_embedding, /m);
    expect(stdout).toMatch(
      new RegExp(`^Ready +encoderfile build ${file} --model-type sentence_embedding$`, 'm'),
    );
  });

  test('is rejected if the folder contains a config file', async () => {
    const model = copyModel('embedder', join(folder(), 'model'));
    writeFileSync(join(model, 'encoderfile.yml'), 'encoderfile: {name: x, path: ., model_type: embedding}');
    expect(await validate('-q', 'model/model.onnx')).toMatchObject({
      exitCode: 1,
      stderr:
        'Error: model/model.onnx belongs to a model that has a config file. Run `encoderfile build -f model/encoderfile.yml`; choose the graph with `variant` in the config, or with --variant.',
    });
  });
});

test('--model-type overrides the type in the config file, whose other fields must be valid for the new type', async () => {
  copyModel('embedder', join(folder(), 'model'));
  const config = 'encoderfile:\n  name: x\n  path: ./model\n  model_type: embedding\n';
  writeFileSync(join(folder(), 'x.yml'), config);
  const chosen = await validate('x.yml', '--model-type', 'sentence_embedding');
  expect(chosen.stdout).toMatch(/^Type +sentence_embedding, /m);
  writeFileSync(
    join(folder(), 'x.yml'),
    `${config.replace('embedding', 'sentence_embedding')}  pooling: mean\n`,
  );
  const refused = await validate('-q', '-f', 'x.yml', '--model-type', 'embedding');
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toMatch(/^Error: x\.yml:5:\d+ +encoderfile\.pooling: /);
});

describe('a model whose type is ambiguous', () => {
  test('validate reports that the type embedding is assumed, and which flag returns one vector per text', async () => {
    const model = copyModel('embedder', join(folder(), 'minilm'));
    rmSync(join(model, 'config.json'));
    const assumed = await validate('minilm');
    expect(assumed).toMatchObject({ exitCode: 0 });
    expect(assumed.stderr).toContain(
      'minilm is of type embedding, because the graph returns last_hidden_state\n' +
        'It returns one vector per token. For one vector per text instead, pass --model-type sentence_embedding\n',
    );
    const chosen = await validate('minilm', '--model-type', 'sentence_embedding');
    expect(chosen.stderr).not.toContain('is of type');
    expect(chosen.stdout).toMatch(/^Type +sentence_embedding, /m);
  });

  test.each(['Qwen3ForCausalLM', 'BertLMHeadModel', 'GPT2LMHeadModel', 'T5ForConditionalGeneration'])(
    '%s is rejected with a reason, unless --model-type is passed',
    async (architecture) => {
      const model = copyModel('embedder', join(folder(), 'reranker'));
      const path = join(model, 'config.json');
      const config = JSON.parse(readFileSync(path, 'utf8')) as object;
      writeFileSync(path, JSON.stringify({ ...config, architectures: [architecture] }));
      const message = `Error: config.json of reranker names ${architecture}, which generates text. Of such models, only the rerankers Qwen3-Reranker, mxbai-rerank v2, bge-reranker-v2-gemma can be built, from safetensors. Choose one of them or a model with a classification head for reranking, or pass --model-type sentence_embedding to build an embedding model from its layers.`;
      expect(await validate('-q', 'reranker')).toMatchObject({ exitCode: 1, stderr: message });
      const init = await runCli(['init', 'reranker'], { cwd: folder() });
      expect(init).toEqual({ exitCode: 1, stdout: '', stderr: message });
      expect((await validate('-q', 'reranker', '--model-type', 'sentence_embedding')).exitCode).toBe(0);
    },
  );
});

test('build accepts a folder, and rejects an unknown version before it optimizes the model', async () => {
  copyModel('embedder', join(folder(), 'embedder'));
  const build = (...args: string[]) =>
    runCli(['build', 'embedder', '--cache-dir', join(folder(), 'cache'), ...args], { cwd: folder() });
  const assets = await build('--no-build');
  expect(assets.exitCode).toBe(0);
  const manifest = readFileSync(join(folder(), 'embedder.assets/manifest.json'), 'utf8');
  expect(JSON.parse(manifest)).toMatchObject({ name: 'embedder', modelType: 'embedding' });
  const { exitCode, stderr } = await build('--runtime-version', '9.9.9');
  expect(exitCode).toBe(1);
  expect(stderr).toContain('No base runtime 9.9.9');
  expect(stderr).not.toContain('Optimizing');
});
