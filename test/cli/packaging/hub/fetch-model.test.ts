import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { FetchedModel } from '#cli/packaging/hub/fetch-model.ts';
import { mapExternalData } from '#cli/packaging/onnx/external-data.ts';
import { fixtureContents } from '../../../helpers/hub-repository.ts';
import { CONTENTS, downloadedFiles, useFetching } from '../../../helpers/use-fetching.ts';

const { cachedAt, fetched, folder, hub, publish, warnings } = useFetching();
const read = (model: FetchedModel, path: string): string => readFileSync(join(model.folder, path), 'utf8');
const blobs = (): string[] => readdirSync(cachedAt('blobs'));

test('the cache has the same layout as huggingface_hub', async () => {
  const repository = publish(CONTENTS);
  const model = await fetched('hf:acme/model');
  const commit = repository.resolve('main') ?? '';
  expect(model).toMatchObject({ folder: cachedAt('snapshots', commit), repository: 'acme/model', commit });
  expect(downloadedFiles(model)).toEqual(['config.json', 'onnx/model.onnx', 'tokenizer.json']);
  expect(readFileSync(cachedAt('refs/main'), 'utf8')).toBe(commit);
  const files = repository.files(commit);
  expect(blobs().sort()).toEqual(files.map(({ oid, sha256 }) => sha256 ?? oid).sort());
  const graph = files.find(({ path }) => path === 'onnx/model.onnx');
  expect(readlinkSync(join(model.folder, 'onnx/model.onnx'))).toBe(`../../../blobs/${graph?.sha256}`);
  expect(readlinkSync(join(model.folder, 'config.json'))).toMatch(/^\.\.\/\.\.\/blobs\/[0-9a-f]{40}$/);
  expect(read(model, 'onnx/model.onnx')).toBe('graph');
});

test('a cached commit requires no requests, and a cached branch requires one request', async () => {
  const repository = publish(CONTENTS);
  const { commit } = await fetched('hf:acme/model');
  hub().requests.length = 0;
  expect(downloadedFiles(await fetched(`hf:acme/model@${commit}`))).toEqual([]);
  expect(hub().requests).toEqual([]);
  expect(downloadedFiles(await fetched('hf:acme/model'))).toEqual([]);
  expect(hub().paths()).toEqual(['/api/models/acme/model/revision/main']);
  repository.commit({ ...CONTENTS, 'config.json': '{"new": 1}' });
  const newer = await fetched('hf:acme/model');
  expect(newer.commit).not.toBe(commit);
  expect(downloadedFiles(newer)).toEqual(['config.json']);
  expect(readFileSync(cachedAt('refs/main'), 'utf8')).toBe(newer.commit);
});

test('branches with slashes and tags are valid revisions', async () => {
  const repository = publish(CONTENTS);
  const commit = repository.commit({ ...CONTENTS, 'config.json': '{"pr": 1}' }, 'refs/pr/1');
  expect((await fetched('hf:acme/model@refs/pr/1')).commit).toBe(commit);
  expect(readFileSync(cachedAt('refs/refs/pr/1'), 'utf8')).toBe(commit);
});

test('paginated file lists are supported', async () => {
  hub().pageSize = 2;
  publish({
    ...Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`data/${at}.txt`, `${at}`])),
    ...CONTENTS,
  });
  expect(downloadedFiles(await fetched('hf:acme/model'))).toHaveLength(3);
});

test('a renamed repository and weak ETags are accepted', async () => {
  publish(CONTENTS, 'acme/new-name');
  hub().rename('acme/model', 'acme/new-name');
  hub().weakEtags = true;
  const model = await fetched('hf:acme/model');
  expect(read(model, 'config.json')).toBe('{}');
  expect(existsSync(cachedAt('refs/main'))).toBe(true);
});

test('external weights that are referenced only in the graph are downloaded', async () => {
  const location = 'weights of it.bin';
  const { 'onnx/model.onnx': graph = '', 'onnx/model.onnx_data': weights = '' } =
    fixtureContents('external-data');
  const renamed = mapExternalData(Buffer.from(graph), (data) => ({ ...data, location }));
  const others = { 'onnx/other.bin': 'no', [`onnx/${location}`]: weights };
  publish({ ...CONTENTS, ...others, 'onnx/model.onnx': Buffer.from(renamed) });
  const model = await fetched('hf:acme/model');
  expect(downloadedFiles(model)).toContain(`onnx/${location}`);
  expect(downloadedFiles(model)).not.toContain('onnx/other.bin');
});

test('weights of modules after pooling are downloaded', async () => {
  const dense = { type: 'sentence_transformers.models.Dense', path: '2_Dense' };
  const older = { ...dense, path: '3_Dense' };
  const folders = ['2_Dense', '2_Dense_1024', '3_Dense'].flatMap((folder) =>
    ['config.json', 'model.safetensors', 'pytorch_model.bin']
      .filter((name) => folder !== older.path || name !== 'model.safetensors')
      .map((name) => `${folder}/${name}`),
  );
  publish({
    ...CONTENTS,
    'modules.json': JSON.stringify([
      { type: 'sentence_transformers.models.Transformer', path: '' },
      dense,
      older,
    ]),
    'onnx/model.onnx': fixtureContents('external-data')['onnx/model.onnx'] ?? '',
    ...Object.fromEntries(folders.map((path) => [path, path])),
  });
  const paths = downloadedFiles(await fetched('hf:acme/model'));
  expect(paths.filter((path) => path.includes('_Dense'))).toEqual([
    '2_Dense/config.json',
    '2_Dense/model.safetensors',
    '2_Dense_1024/config.json',
    '3_Dense/config.json',
    '3_Dense/pytorch_model.bin',
  ]);
});

test('state dicts that an index lists are downloaded', async () => {
  const parts = ['pytorch_model-00001-of-00002.bin', 'pytorch_model-00002-of-00002.bin'];
  publish({
    'config.json': '{"model_type": "bert"}',
    'tokenizer.json': CONTENTS['tokenizer.json'] ?? '',
    'pytorch_model.bin.index.json': JSON.stringify({ weight_map: { a: parts[0], b: parts[1], c: parts[0] } }),
    'training_args.bin': 'no',
    ...Object.fromEntries(parts.map((name) => [name, name])),
  });
  const paths = downloadedFiles(await fetched('hf:acme/model'));
  expect(paths).toEqual(['config.json', ...parts, 'pytorch_model.bin.index.json', 'tokenizer.json']);
});

test.each([
  [
    'private',
    undefined,
    /^hf:acme\/model does not exist on http.*, or it is private\. Check the name, or set HF_TOKEN\.$/,
  ],
  ['private', 'hf_other', /or the token in HF_TOKEN cannot read it\. Check the name and the token\.$/],
  [
    'gated',
    undefined,
    /^hf:acme\/model is gated\. Request access at http.*\/acme\/model and set HF_TOKEN\.$/,
  ],
  [
    'gated',
    'hf_other',
    /is gated, and the account of the token in HF_TOKEN does not have access\. Request access at http/,
  ],
  [
    'public',
    'hf_bad',
    /^http.* rejected the token in HF_TOKEN\. Replace it, or remove it for public models\.$/,
  ],
  ['disabled', undefined, /has disabled access to hf:acme\/model\. Choose another model\.$/],
] as const)('a %s model with the token %s is rejected', async (access, token, message) => {
  publish(CONTENTS).access = access;
  hub().addToken('hf_other');
  const env: Record<string, string> = token === undefined ? {} : { HF_TOKEN: token };
  await expect(fetched('hf:acme/model', { env })).rejects.toThrow(message);
});

test('file names that escape the snapshot are ignored', async () => {
  const repository = publish(CONTENTS);
  const oid = 'a'.repeat(40);
  repository.extraEntries = [
    '../../../evil/config.json',
    '/etc/config.json',
    'x\\..\\config.json',
    'C:/config.json',
  ].map((path) => ({ type: 'file', path, oid, size: 3 }));
  expect(downloadedFiles(await fetched('hf:acme/model'))).toHaveLength(3);
  expect(readdirSync(folder())).toEqual(['huggingface']);
});

test('a link in place of a snapshot folder is not followed', async () => {
  const repository = publish(CONTENTS);
  const snapshot = cachedAt('snapshots', repository.resolve('main') ?? '');
  mkdirSync(snapshot, { recursive: true });
  mkdirSync(join(folder(), 'elsewhere'));
  symlinkSync(join(folder(), 'elsewhere'), join(snapshot, 'onnx'));
  await expect(fetched('hf:acme/model')).rejects.toThrow(
    /onnx must be a folder, but it is a link or a file\./,
  );
  expect(readdirSync(join(folder(), 'elsewhere'))).toEqual([]);
});

test('a truncated blob and a dangling link are repaired', async () => {
  publish(CONTENTS);
  const model = await fetched('hf:acme/model');
  truncateSync(join(model.folder, 'onnx/model.onnx'), 2);
  expect(downloadedFiles(await fetched('hf:acme/model'))).toEqual(['onnx/model.onnx']);
  expect(read(model, 'onnx/model.onnx')).toBe('graph');
  rmSync(cachedAt('blobs'), { recursive: true });
  expect(downloadedFiles(await fetched('hf:acme/model'))).toHaveLength(3);
  expect(read(model, 'onnx/model.onnx')).toBe('graph');
});

test('where links are unsupported, snapshots contain copies of the files', async () => {
  const repository = publish({ ...CONTENTS, 'tokenizer_config.json': '{}' });
  const env = { HF_HUB_DISABLE_SYMLINKS: '1' };
  const model = await fetched('hf:acme/model', { env });
  expect(lstatSync(join(model.folder, 'onnx/model.onnx')).isFile()).toBe(true);
  expect(read(model, 'tokenizer_config.json')).toBe('{}');
  expect(downloadedFiles(await fetched('hf:acme/model', { env }))).toEqual([]);
  repository.commit(CONTENTS);
  expect(lstatSync(join((await fetched('hf:acme/model', { env })).folder, 'config.json')).isFile()).toBe(
    true,
  );
});

test('offline, only the cache is used', async () => {
  const repository = publish({ ...CONTENTS, 'onnx/model_fp16.onnx': 'half' });
  await expect(fetched('hf:acme/model', { offline: true })).rejects.toThrow(
    /^hf:acme\/model is not in the cache .*hub, and --offline is set\. Run `encoderfile pull hf:acme\/model` with a network connection\.$/,
  );
  await fetched('hf:acme/model');
  hub().requests.length = 0;
  const env = { HF_HUB_OFFLINE: '1' };
  expect((await fetched('hf:acme/model', { env })).commit).toBe(repository.resolve('main'));
  await expect(fetched('hf:acme/model', { env, variant: 'fp16' })).rejects.toThrow(
    'onnx/model_fp16.onnx of hf:acme/model is not in the cache, and HF_HUB_OFFLINE is set.',
  );
  expect(hub().requests).toEqual([]);
  expect(warnings).toEqual([]);
});

test('the cache is used if the hub is unavailable, but not if the hub reports that the model does not exist', async () => {
  publish(CONTENTS);
  const { commit } = await fetched('hf:acme/model');
  hub().plan(/revision/, { status: 503 }, 6);
  expect((await fetched('hf:acme/model')).commit).toBe(commit);
  expect(warnings).toEqual([expect.stringContaining(`503. Retry later. Using the cached commit ${commit}.`)]);
  hub().plan(/revision/, { status: 401, headers: { 'x-error-code': 'RepoNotFound' } });
  await expect(fetched('hf:acme/model')).rejects.toThrow('does not exist');
});

test('a cache written by another tool is reused, with a warning that it has no file list', async () => {
  publish(CONTENTS);
  await fetched('hf:acme/model');
  rmSync(cachedAt('.encoderfile'), { recursive: true });
  expect(downloadedFiles(await fetched('hf:acme/model', { offline: true }))).toEqual([]);
  expect(warnings).toEqual([expect.stringContaining('The cache has no file list for hf:acme/model')]);
});

test('a model is returned even if the cache cannot be written', async () => {
  publish(CONTENTS);
  const { commit } = await fetched('hf:acme/model');
  rmSync(cachedAt('.encoderfile'), { recursive: true });
  writeFileSync(cachedAt('.encoderfile'), 'not a folder');
  chmodSync(cachedAt('refs'), 0o500);
  expect(await fetched('hf:acme/model')).toMatchObject({ commit });
});

test('safetensors are downloaded if there is no graph: a single file, or all files of an index', async () => {
  const config = '{"model_type": "bert"}';
  publish({
    'config.json': config,
    'tokenizer.json': '{}',
    'model.safetensors': 'weights',
    'tf_model.h5': 'x',
  });
  const one = await fetched('hf:acme/model');
  expect(one.graph).toEqual({ path: 'model.safetensors', name: 'safetensors', bytes: 7 });
  expect(downloadedFiles(one)).toEqual(['config.json', 'model.safetensors', 'tokenizer.json']);
  const index = {
    weight_map: { a: 'weights-1.safetensors', b: 'weights-2.safetensors', c: 'weights-1.safetensors' },
  };
  publish(
    {
      'config.json': config,
      'tokenizer.json': '{}',
      'model.safetensors.index.json': JSON.stringify(index),
      'weights-1.safetensors': 'first',
      'weights-2.safetensors': 'second',
      'weights-3.safetensors': 'third',
    },
    'acme/large',
  );
  const large = await fetched('hf:acme/large');
  const parts = ['weights-1.safetensors', 'weights-2.safetensors'];
  const files = ['config.json', 'model.safetensors.index.json', 'tokenizer.json', ...parts];
  expect(downloadedFiles(large)).toEqual(files);
  const offline = await fetched('hf:acme/large', { offline: true });
  expect(offline.files.map(({ path }) => path)).toEqual(files);
});

test('safetensors of an unsupported architecture are not selected', async () => {
  publish({ ...CONTENTS, 'config.json': '{"model_type": "roc_bert"}', 'model.safetensors': 'weights' });
  expect((await fetched('hf:acme/model')).variants.map(({ name }) => name)).toEqual(['model']);
});
