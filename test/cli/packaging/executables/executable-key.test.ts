import { appendFileSync, cpSync, mkdirSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { BuildConfig } from '#cli/config/build-config.ts';
import { executableKey } from '#cli/packaging/executables/executable-key.ts';
import { planBuild } from '#cli/packaging/plan.ts';
import { readBuildConfig } from '#cli/services/read-config.ts';
import { copyModel } from '#test/helpers/models.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';

const folder = useTempFolder();
const HOST = { os: 'linux', cpu: 'x64' };
const FLAGS = { format: 'executable', noBuild: false, noDownload: false, force: true } as const;
const configOf = (path: string): Promise<BuildConfig> =>
  readBuildConfig({ folder: path }, { modelType: 'sequence_classification' });
const keyOf = (config: BuildConfig): Promise<string> => executableKey(config, planBuild(config, FLAGS, HOST));

test('the key depends on settings and files, not on their places', async () => {
  copyModel('sentiment', join(folder(), 'model'));
  const config = await configOf(join(folder(), 'model'));
  const key = await keyOf(config);
  mkdirSync(join(folder(), 'other'));
  cpSync(join(folder(), 'model'), join(folder(), 'other', 'model'), { recursive: true });
  expect(await keyOf(await configOf(join(folder(), 'other', 'model')))).toBe(key);
  expect(await keyOf({ ...config, outputPath: 'x', cacheDir: 'y', file: 'z' })).toBe(key);
  const changed: Partial<BuildConfig>[] = [
    { name: 'other' },
    { quantize: { ...config.quantize, form: 'int8' } },
    { maxLength: 8 },
    { transform: { kind: 'inline', source: 'x', line: 1 } },
    { target: 'linux-arm64' },
  ];
  const keys = await Promise.all(changed.map((settings) => keyOf({ ...config, ...settings })));
  expect(new Set([key, ...keys]).size).toBe(1 + changed.length);
  appendFileSync(join(folder(), 'model', 'config.json'), ' ');
  expect(await keyOf(config)).not.toBe(key);
});

test('a change of a large file is noticed, even if its size and modification time stay the same', async () => {
  copyModel('sentiment', join(folder(), 'model'));
  const large = join(folder(), 'model', 'model.onnx_data');
  writeFileSync(large, Buffer.alloc(17e6));
  const config = await configOf(join(folder(), 'model'));
  const key = await keyOf(config);
  expect(await keyOf(config)).toBe(key);
  const { atime, mtime } = statSync(large);
  writeFileSync(large, Buffer.alloc(17e6, 1));
  utimesSync(large, atime, mtime);
  expect(await keyOf(config)).not.toBe(key);
});

test('files in the Hugging Face cache are known by their names', async () => {
  copyModel('sentiment', join(folder(), 'model'));
  mkdirSync(join(folder(), 'blobs'));
  const blob = join(folder(), 'blobs', 'a'.repeat(64));
  writeFileSync(blob, Buffer.alloc(17e6));
  symlinkSync(blob, join(folder(), 'model', 'model.onnx_data'));
  const config = await configOf(join(folder(), 'model'));
  const key = await keyOf(config);
  utimesSync(blob, 1, 1);
  expect(await keyOf(config)).toBe(key);
});
