import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { hubCli } from '../helpers/hub-cli.ts';
import { fixtureContents, HubRepository } from '../helpers/hub-repository.ts';
import { copyModel, writeConfig } from '../helpers/model-folder.ts';
import { FIXTURES } from '../helpers/paths.ts';
import type { Answer } from '../helpers/run-process.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { WORDS_OF_IDS } from '../helpers/words-of-ids.ts';
import { useHub } from '../helpers/use-hub.ts';
import { runExecutable } from './arms.ts';
import { verifiesOnce } from './verifies.ts';

const folder = useTempFolder();
const hub = useHub();
const run = hubCli(hub, folder);
const publish = (model: string, extra: Record<string, string | Buffer> = {}): HubRepository =>
  hub().add(`acme/${model}`, new HubRepository(fixtureContents(model, extra)));
const executable = (name: string): string => join(folder(), `${name}.encoder`);
const UNREACHABLE = { HF_ENDPOINT: 'http://127.0.0.1:9' };

verifiesOnce('hub:build', async () => {
  const repository = publish('sentence', { 'README.md': '---\nlicense: mit\n---\n' });
  const commit = repository.resolve('main') ?? '';
  const built = await run(['build', 'hf:acme/sentence', '--json']);
  expect(built).toMatchObject({ exitCode: 0 });
  expect(JSON.parse(built.stdout).manifest).toMatchObject({
    name: 'sentence',
    modelType: 'sentence_embedding',
    license: { id: 'mit' },
    source: { graph: 'onnx/model.onnx', repository: 'acme/sentence', revision: commit },
  });
  const { stdout } = await runExecutable(executable('sentence'), ['inspect']);
  expect(stdout).toContain(`onnx/model.onnx of hf:acme/sentence@${commit}\n`);

  // A newer commit replaces the executable of the older one, and an older commit can be specified.
  repository.commit(fixtureContents('sentence'));
  expect(await run(['build', 'hf:acme/sentence'])).toMatchObject({ exitCode: 0 });
  const config = writeConfig(folder(), {
    name: 'old',
    path: 'hf:${ORG}/sentence@' + commit,
    model_type: 'sentence_embedding',
  });
  const old = await run(['build', '-f', config, '--json'], { ORG: 'acme' });
  expect(JSON.parse(old.stdout).manifest.source.revision).toBe(commit);
});

verifiesOnce('hub:pull-request', async () => {
  const repository = publish('sentence');
  const torch = (name: string): Buffer => readFileSync(join(FIXTURES, 'torch', 'bert-text', name));
  const weights = {
    'config.json': torch('config.json'),
    'pytorch_model.bin': torch('pytorch_model.bin'),
    'tokenizer.json': JSON.stringify(WORDS_OF_IDS),
  };
  const commit = repository.commit(weights, 'refs/pr/3');
  const name = 'hf:acme/sentence@refs/pr/3';
  const sourceOf = ({ exitCode, stdout, stderr }: Answer): unknown => {
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
    return JSON.parse(stdout).manifest.source;
  };
  const type = ['--model-type', 'embedding', '--json'];
  const pulled = await run(['pull', name, '--json']);
  expect(JSON.parse(pulled.stdout)).toMatchObject({ revision: 'refs/pr/3', commit });
  const expected = { graph: 'pytorch_model.bin', repository: 'acme/sentence', revision: commit };
  expect(sourceOf(await run(['build', name, ...type], UNREACHABLE))).toEqual(expected);
  const path = writeConfig(folder(), { name: 'pr', path: name, model_type: 'embedding' });
  expect(sourceOf(await run(['build', '-f', path, '--offline', '--json']))).toEqual(expected);
});

verifiesOnce('hub:variant', async () => {
  const { 'onnx/model.onnx': graph = '', ...others } = fixtureContents('sentiment');
  const graphs = { 'onnx/model_fp16.onnx': graph, 'onnx/model_int8.onnx': 'other' };
  hub().add('acme/sentiment', new HubRepository({ ...others, ...graphs }));
  const refused = await run(['build', 'hf:acme/sentiment']);
  expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
  expect(refused.stderr).toMatch(
    /Error: hf:acme\/sentiment has no model\.onnx, but 2 other graphs: fp16 \(onnx\/model_fp16\.onnx, 1\.0 MB\), int8 .* or with --variant\.$/,
  );
  expect(hub().paths('cdn')).toEqual([]);
  expect(await run(['build', 'hf:acme/sentiment', '--variant', 'fp16'])).toMatchObject({ exitCode: 0 });
  expect(hub().paths('cdn')).toHaveLength(1);
  const { stdout } = await runExecutable(executable('sentiment'), ['inspect']);
  expect(stdout).toContain('onnx/model_fp16.onnx of hf:acme/sentiment@');
  // The other graph is not in the cache, but the choice is still ambiguous.
  expect((await run(['build', 'hf:acme/sentiment', '--offline'])).stderr).toContain('but 2 other graphs');
});

verifiesOnce('hub:init-and-validate', async () => {
  publish('sentiment', { 'onnx/model_fp16.onnx': 'other' });
  const written = await run(['init', 'hf:acme/sentiment@main', '-o', 'sentiment.yml']);
  expect(written).toMatchObject({ exitCode: 0 });
  expect(written.stdout).toMatch(
    /^Variants +model \(onnx\/model\.onnx, 1\.0 MB\)\n +fp16 \(onnx\/model_fp16\.onnx, 5 B\)$/m,
  );
  expect(readFileSync(join(folder(), 'sentiment.yml'), 'utf8')).toContain(
    '\n  path: hf:acme/sentiment@main\n',
  );
  expect(await run(['validate', '-f', 'sentiment.yml'])).toMatchObject({ exitCode: 0 });
  const named = await run(['validate', 'hf:acme/sentiment']);
  expect(named.stdout).toMatch(/^Ready +encoderfile build hf:acme\/sentiment$/m);
});

verifiesOnce('hub:offline', async () => {
  publish('sentiment');
  expect((await run(['build', 'hf:acme/sentiment', '--offline'])).stderr).toMatch(
    /^Error: hf:acme\/sentiment is not in the cache .*, and --offline is set\. Run `encoderfile pull hf:acme\/sentiment` with a network connection\.$/,
  );
  expect(await run(['pull', 'hf:acme/sentiment'])).toMatchObject({ exitCode: 0 });
  hub().requests.length = 0;
  expect(await run(['build', 'hf:acme/sentiment', '--offline'])).toMatchObject({ exitCode: 0 });
  expect(await run(['validate', 'hf:acme/sentiment'], { HF_HUB_OFFLINE: '1' })).toMatchObject({
    exitCode: 0,
  });
  expect(hub().requests).toEqual([]);
  const unavailable = await run(['validate', 'hf:acme/sentiment'], UNREACHABLE);
  expect(unavailable.exitCode).toBe(0);
  expect(unavailable.stderr).toMatch(
    /^Warning: The connection to 127\.0\.0\.1:9 failed \(ECONNREFUSED\)\..* Using the cached commit [0-9a-f]{40}\.$/m,
  );
  const local = copyModel(folder(), 'sentiment', { name: 'local' });
  expect(await run(['build', '-f', local, '--offline'], UNREACHABLE)).toMatchObject({ exitCode: 0 });
  expect(hub().requests).toEqual([]);
});

verifiesOnce('hub:refusals', async () => {
  const add = (name: string, access: HubRepository['access'], contents: Record<string, string>): void => {
    hub().add(name, new HubRepository(contents)).access = access;
  };
  add('acme/private', 'private', {});
  add('acme/gated', 'gated', { 'config.json': '{}', 'onnx/model.onnx': 'x' });
  add('acme/torch', 'public', { 'config.json': '{}', 'model.safetensors': 'x' });
  hub().addToken('hf_other');
  const cases: [reference: string, env: Record<string, string>, message: RegExp][] = [
    ['hf:acme/none', {}, /does not exist on http\S+, or it is private\. Check the name, or set HF_TOKEN\.$/],
    ['hf:acme/private', { HF_TOKEN: 'hf_other' }, /or the token in HF_TOKEN cannot read it\./],
    [
      'hf:acme/gated',
      {},
      /hf:acme\/gated is gated\. Request access at http\S+\/acme\/gated and set HF_TOKEN\.$/,
    ],
    [
      'hf:acme/gated',
      { HF_TOKEN: 'hf_other' },
      /the account of the token in HF_TOKEN does not have access\. Request access at/,
    ],
    ['hf:acme/torch', { HF_TOKEN: 'hf_bad' }, /rejected the token in HF_TOKEN\. Replace it, or remove it/],
    [
      'hf:acme/torch',
      {},
      /has no ONNX graph, only model\.safetensors, and no config\.json .* Copy config\.json from the model's source\./,
    ],
    [
      'hf:acme/torch@v9',
      {},
      /hf:acme\/torch has no revision "v9"\. Pass an existing branch, tag or commit\.$/,
    ],
    ['hf:acme/torch@', {}, /Error: Invalid model reference: "" is not a valid branch, tag or commit\./],
    ['hf:acme/../x', {}, /Error: Invalid model reference: "hf:acme\/\.\.\/x" does not name a model\./],
    [
      'hf:acme/torch',
      UNREACHABLE,
      /The connection to 127\.0\.0\.1:9 failed \(ECONNREFUSED\)\. Check the network/,
    ],
    [
      'hf:acme/torch',
      { HF_ENDPOINT: 'mirror' },
      /Error: Invalid HF_ENDPOINT "mirror": it must be an http or https URL/,
    ],
  ];
  for (const [reference, env, message] of cases) {
    const answer = await run(['build', reference], env);
    expect(answer).toMatchObject({ exitCode: 1, stdout: '' });
    expect(answer.stderr).toMatch(message);
    expect(answer.stderr.split('\n')).toHaveLength(1);
    expect(answer.stderr).not.toMatch(/hf_other|hf_bad/);
  }
  const config = writeConfig(folder(), { path: 'hf:acme/a/b' });
  expect((await run(['build', '-f', config])).stderr).toMatch(
    /encoderfile\.yml:4:13 +encoderfile\.path: "hf:acme\/a\/b" does not name a model\. Write hf:org\/name/,
  );
});

verifiesOnce('hub:config-of-repository', async () => {
  const own = JSON.stringify({
    encoderfile: { name: 'evil', path: '/', model_type: 'embedding', output_path: join(folder(), 'evil') },
  });
  const repository = publish('sentiment', { 'encoderfile.yml': own });
  // The cache of another tool can contain the file.
  const snapshot = join(
    folder(),
    'huggingface/hub/models--acme--sentiment/snapshots',
    repository.resolve('main') ?? '',
  );
  mkdirSync(snapshot, { recursive: true });
  writeFileSync(join(snapshot, 'encoderfile.yml'), own);
  expect(await run(['build', 'hf:acme/sentiment'])).toMatchObject({ exitCode: 0 });
  expect(existsSync(executable('sentiment'))).toBe(true);
  expect(
    hub()
      .paths()
      .filter((path) => path.includes('encoderfile.yml')),
  ).toEqual([]);
  rmSync(executable('sentiment'));
});
