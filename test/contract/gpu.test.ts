import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { MAX_GPU_DIFFERENCE } from '#contract/devices.ts';
import { MODEL_TYPE_NAMES } from '#contract/model-types.ts';
import { builtAssets, builtExecutable } from '../helpers/built.ts';
import { FIXTURES, ROOT, TEST_CACHE } from '../helpers/paths.ts';
import { provideSoftwareGpu } from '../helpers/software-gpu.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { runCliHere } from '../helpers/cli-here.ts';
import { copyModel } from '../helpers/model-folder.ts';
import { NO_GPU } from '../helpers/no-gpu.ts';
import { runExecutable } from './arms.ts';
import { verifiesOnce } from './verifies.ts';
import { useServers } from './started-servers.ts';

const gpu = await provideSoftwareGpu();
const folder = useTempFolder();
const { serve } = useServers();

/** Models that this driver cannot run, and models that take longer than others of their type. */
const OMITTED = new Set(['float16', 'static', 'two-forms', 'embedder', 'external-data', 'distilbert']);

/** A small model of each type. */
function modelsByType(): Map<string, string> {
  const models = new Map<string, string>();
  for (const model of readdirSync(join(FIXTURES, 'models'))) {
    const config = join(FIXTURES, 'models', model, 'encoderfile.yml');
    if (!existsSync(config) || OMITTED.has(model)) continue;
    const [, type] = /^ +model_type: (\w+)$/m.exec(readFileSync(config, 'utf8')) ?? [];
    if (type !== undefined && !models.has(type)) models.set(type, model);
  }
  return models;
}

/** On a busy machine, a software driver takes minutes. */
const TIMEOUT_MS = 300_000;

test.skipIf(!gpu)(
  'models of every type return the results of the CPU on a GPU',
  { timeout: TIMEOUT_MS },
  async () => {
    const models = modelsByType();
    expect([...models.keys()].toSorted()).toEqual([...MODEL_TYPE_NAMES].toSorted());
    const assets = [...models.values()].map(builtAssets);
    const script = join(ROOT, 'test/gpu/check-models.ts');
    const { stdout } = await execa(process.execPath, [script, ...assets], { env: gpu ?? {} });
    const problems = stdout.split('\n').map((line, at) => [[...models.values()][at], line]);
    expect(problems).toEqual([...models.values()].map((model) => [model, 'ok']));
  },
);

const TEXTS = ['one', 'a second text', 'a third text that is longer'];

async function predict(url: string): Promise<number[][]> {
  const response = await fetch(`${url}/predict`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ inputs: TEXTS }),
  });
  expect(response.status).toBe(200);
  const { results } = (await response.json()) as { results: readonly { readonly logits: number[] }[] };
  return results.map(({ logits }) => logits);
}

test.skipIf(!gpu)(
  'two servers share a GPU, and complete their requests on SIGTERM',
  { timeout: TIMEOUT_MS },
  async () => {
    const path = builtExecutable('sentiment');
    const servers = await Promise.all([
      serve({ path, args: ['--device', 'cpu'] }),
      ...[1, 2].map(() => serve({ path, args: ['--device', 'gpu'], env: gpu ?? {} })),
    ]);
    const [onCpu, one, two] = servers;
    if (!onCpu || !one || !two) throw new Error('no servers');
    const expected = await predict(onCpu.url);
    const expectSame = (found: readonly number[][]): void => {
      const largest = Math.max(1, ...expected.flat().map(Math.abs));
      const differences = found.flatMap((logits, row) =>
        logits.map((value, at) => Math.abs(value - (expected[row]?.[at] ?? NaN))),
      );
      expect(Math.max(...differences)).toBeLessThanOrEqual(MAX_GPU_DIFFERENCE.float32 * largest);
    };
    for (const { url } of [one, two]) {
      expectSame(await predict(url));
      expect(await (await fetch(`${url}/metrics`)).text()).toMatch(/^encoder_gpu_batches_total [1-9]/m);
    }
    const running = Array.from({ length: 4 }, () => predict(one.url));
    await expect
      .poll(async () => await (await fetch(`${one.url}/metrics`)).text())
      .toMatch(/^encoder_queued_inputs [1-9]/m);
    one.child.kill('SIGTERM');
    for (const results of await Promise.all(running)) expectSame(results);
    expect(await one.ended).toBe(0);
    // The other process still uses the driver.
    expectSame(await predict(two.url));
  },
);

test.skipIf(!gpu)('a driver whose library is missing counts as no driver', async () => {
  const driver = join(folder(), 'driver.json');
  const library = { library_path: join(folder(), 'missing.so'), api_version: '1.1.0' };
  writeFileSync(driver, JSON.stringify({ file_format_version: '1.0.0', ICD: library }));
  const texts = join(folder(), 'texts.txt');
  writeFileSync(texts, 'one\n');
  const run = async (device: string) =>
    await runExecutable(builtExecutable('sentiment'), ['infer', '--input', texts, '--device', device], {
      env: { ...gpu, VK_ICD_FILENAMES: driver, VK_DRIVER_FILES: driver, ENCODERFILE_SOFTWARE_GPU: '1' },
    });
  const required = await run('gpu');
  expect(required.exitCode).toBe(1);
  expect(required.stderr).toContain('--device gpu: no Vulkan driver for a GPU was found');
  const optional = await run('auto');
  expect(optional.exitCode).toBe(0);
  expect(optional.stderr).toContain('Device: CPU: no Vulkan driver for a GPU was found');
  expect(optional.stdout).toMatch(/^\{"index":0,"label":/);
});

/** Arguments that run one text on a device. */
function textFile(...flags: string[]): string[] {
  const texts = join(folder(), 'texts.txt');
  writeFileSync(texts, 'one\n');
  return ['infer', '--input', texts, ...flags];
}

verifiesOnce('build:device', async () => {
  const output = join(folder(), 'sentiment.encoder');
  const build = async (fields: Record<string, unknown>, model = 'sentiment') => {
    const config = copyModel(join(folder(), model), model, {
      model_type: 'sequence_classification',
      ...fields,
    });
    return await runCliHere([
      'build',
      '-f',
      config,
      '-o',
      output,
      '--cache-dir',
      TEST_CACHE,
      '--quiet',
      '--force',
    ]);
  };
  expect(await build({ device: 'auto' })).toMatchObject({ exitCode: 0 });
  const { stdout } = await runExecutable(output, ['inspect']);
  expect(stdout).toMatch(/^Devices +CPU; .*default: --device auto$/m);
  const env = { ...NO_GPU, ENCODERFILE_SOFTWARE_GPU: '1' };
  const run = async (flags: string[], more = {}) =>
    await runExecutable(output, textFile(...flags), { env: { ...env, ...more } });
  expect((await run([])).stderr).toMatch(/^Device: CPU: /m);
  expect((await run(['--device', 'cpu'])).stderr).toBe('');
  expect((await run([], { ENCODERFILE_DEVICE: 'cpu' })).stderr).toBe('');
  const refused = await build({ device: 'gpu', model_type: 'sentence_embedding' }, 'static');
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toMatch(
    /`device: gpu`: model is a static model, which runs faster on the CPU\. Use auto or cpu\.$/m,
  );
  expect((await build({ device: 'cuda' })).stderr).toMatch(/encoderfile\.device: .*"?cpu/);
});

const isLinux64 = process.platform === 'linux' && process.arch === 'x64';

verifiesOnce('infer:gpu-libraries', async () => {
  const path = builtExecutable('sentiment');
  const libraries = join(folder(), 'cuda');
  mkdirSync(libraries);
  const run = async (...flags: string[]) =>
    await runExecutable(path, textFile('--gpu-libraries', libraries, ...flags), {
      env: { ENCODERFILE_SOFTWARE_GPU: '1', ENCODERFILE_CACHE_DIR: join(folder(), 'cache') },
    });
  expect((await run()).stderr).toBe(
    'Error: --gpu-libraries requires --device auto or gpu. Add one of them.\n',
  );
  expect(await run('--device', 'cpu')).toMatchObject({ exitCode: 0, stderr: '' });
  if (!isLinux64) {
    expect((await run('--device', 'auto')).stderr).toContain('--gpu-libraries requires Linux on x64');
    return;
  }
  const empty = await run('--device', 'auto');
  expect(empty.exitCode).toBe(1);
  expect(empty.stderr).toContain(`--gpu-libraries: ${libraries} does not contain libonnxruntime_providers_`);

  const shared = join(libraries, 'libonnxruntime_providers_shared.so');
  const cuda = join(libraries, 'libonnxruntime_providers_cuda.so');
  const package_ = dirname(createRequire(import.meta.url).resolve('onnxruntime-node/package.json'));
  const library = join(package_, 'bin/napi-v6/linux/x64/libonnxruntime.so.1');
  symlinkSync(library, shared);
  writeFileSync(cuda, 'not a library');
  expect((await run('--device', 'auto')).stderr).toContain(`${cuda} is not a library for Linux on x64`);
});
