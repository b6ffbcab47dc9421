import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { openEngine } from '#encoder/engine/engine.ts';
import type { DeviceState } from '#encoder/engine/serving.ts';
import { cosine } from '../bench/measure/vectors.ts';
import { runCliHere } from '../helpers/cli-here.ts';
import { FIXTURES, TEST_CACHE } from '../helpers/paths.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { writeRandomBert } from '../helpers/random-bert.ts';
import { post } from './http-client.ts';
import { serveBuilt } from './serve-built.ts';
import { useServers } from './started-servers.ts';
import { verifiesOnce, verifiesServed } from './verifies.ts';

const folder = useTempFolder();
const { serve } = useServers();

/** Writes a config, and returns its path. */
function writeConfig(name: string, fields: object): string {
  const path = join(folder(), `${name}.yml`);
  writeFileSync(path, JSON.stringify({ encoderfile: { name, model_type: 'sentence_embedding', ...fields } }));
  return path;
}

const TEXTS = ['no', 'The train to the coast was late again.', 'Who wrote the first program? '.repeat(5)];

verifiesServed('build:quantize', async (arm) => {
  writeRandomBert(join(folder(), 'bert'));
  const results: number[][][] = [];
  for (const quantize of ['none', 'int8', 'bf16']) {
    const output = join(folder(), `${quantize}.encoder`);
    const server = await serveBuilt(arm, writeConfig(quantize, { path: 'bert', quantize }), output, serve);
    const vectors = async (inputs: readonly string[]): Promise<number[][]> => {
      const { status, text } = await post(`http://127.0.0.1:${server.httpPort}/predict`, { inputs });
      expect({ status, text }).toMatchObject({ status: 200 });
      const { results } = JSON.parse(text) as { results: { embedding: number[] }[] };
      return results.map(({ embedding }) => embedding);
    };
    const together = await vectors(TEXTS);
    for (const [at, text] of TEXTS.entries()) expect(await vectors([text])).toEqual([together[at]]);
    results.push(together);
    await server.stop();
  }
  const [float = [], int8 = [], bf16 = []] = results;
  expect(int8).not.toEqual(float);
  // Without CPU instructions for bfloat16, products stay in float32.
  const lowest = process.arch === 'arm64' ? 0.999 : 1 - 1e-10;
  for (const [at, vector] of float.entries()) {
    expect(cosine(vector, int8[at] ?? [])).toBeGreaterThan(0.99);
    expect(cosine(vector, bf16[at] ?? [])).toBeGreaterThan(lowest);
  }
});

const build = async (config: string, ...flags: string[]) =>
  await runCliHere(
    ['build', '-f', config, '--no-build', '-o', 'x.encoder', '--cache-dir', TEST_CACHE, ...flags],
    { cwd: folder() },
  );

/** An int8 model runs on the CPU, whatever GPU the machine has. */
async function expectCpu(assets: string): Promise<void> {
  const reason = /is an int8 model, which runs on the CPU; build it without `quantize` for GPUs/;
  const options = { threads: () => 1, prepack: true };
  const states: DeviceState[] = [];
  const auto = await openEngine(assets, {
    ...options,
    device: 'auto',
    onDevice: (state) => void states.push(state),
  });
  expect(await auto.infer(['a text'])).toHaveLength(1);
  expect(states).toEqual([{ device: 'cpu', reason: expect.stringMatching(reason) }]);
  await auto.close();
  const required = await openEngine(assets, { ...options, device: 'gpu' });
  await expect(required.infer(['a text'])).rejects.toThrow(reason);
  await required.close();
}

verifiesOnce('build:quantize-accuracy', async () => {
  writeRandomBert(join(folder(), 'bert'));
  const config = writeConfig('x', { path: 'bert' });
  const { exitCode, stdout } = await build(config, '--quantize', 'int8');
  expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 });
  expect(stdout).toMatch(/^Precision +int8$/m);
  expect(stdout).toMatch(/^Quantized +int8, 12 of 12 matrix products$/m);
  expect(stdout).toMatch(
    /^Accuracy +cosine to float32 0\.99\d\d, lowest 0\.9\d\d\d, [\d.]+% of nearest texts kept \(69 texts\)$/m,
  );
  const assets = join(folder(), 'x.assets');
  const manifest = JSON.parse(readFileSync(join(assets, 'manifest.json'), 'utf8')) as {
    quantization: { form: string; accuracy: { cosine: { mean: number } } };
  };
  expect(manifest.quantization).toMatchObject({ form: 'int8', products: 12, quantized: 12 });
  expect(manifest.quantization.accuracy.cosine.mean).toBeGreaterThan(0.99);
  const float = statSync(join(folder(), 'bert/model.safetensors')).size;
  expect(statSync(join(assets, 'weights.bin')).size).toBeLessThan(float * 0.32);
  await expectCpu(assets);
  const forGpu = writeConfig('gpu', { path: 'bert', quantize: 'int8', device: 'gpu' });
  expect(await build(forGpu, '--force')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/`device: gpu`: \S+ is an int8 model, .*\. Use auto or cpu\.$/m),
  });

  const bf16 = await build(config, '--quantize', 'bf16', '--force');
  expect(bf16).toMatchObject({ exitCode: 0 });
  expect(bf16.stdout).toMatch(/^Precision +float32$/m);
  expect(bf16.stdout).toMatch(/^Quantized +bf16 on arm64 CPUs that support it, 12 of 12 matrix products$/m);
  expect(bf16.stdout).toMatch(/^Accuracy +cosine to float32 0\.9999, lowest 0\.999\d, /m);

  // The same weights as a classifier, for labels.
  writeRandomBert(join(folder(), 'labels'), { id2label: { 0: 'a', 1: 'b', 2: 'c' } });
  const labels = writeConfig('labels', {
    path: 'labels',
    model_type: 'sequence_classification',
    quantize: 'int8',
    min_agreement: 0.9,
  });
  const classified = await build(labels, '--force');
  expect(classified).toMatchObject({ exitCode: 0 });
  expect(classified.stdout).toMatch(
    /^Accuracy +[\d.]+% of results agree with float32, largest score difference 0\.\d+/m,
  );
});

verifiesOnce('build:quantize-refused', async () => {
  writeRandomBert(join(folder(), 'bert'));
  const texts = (name: string, content: string | Uint8Array): string => {
    writeFileSync(join(folder(), name), content);
    return name;
  };
  const lines = (count: number): string => Array.from({ length: count }, (_, at) => `text ${at}\n`).join('');
  mkdirSync(join(folder(), 'texts'));
  const int8 = { path: 'bert', quantize: 'int8' };
  const cases: [fields: object, message: RegExp][] = [
    [
      { ...int8, min_cosine: 1 },
      /The int8 version of .*model\.safetensors is not accurate enough: the mean cosine to float32 is 0\.99\d\d, below `min_cosine` \(1\)\. Lower the threshold, /,
    ],
    [
      { path: 'bert', quantize: 'bf16', min_cosine: 1 },
      /The bf16 version of .*model\.safetensors is not accurate enough: the mean cosine to float32 is 0\.9999, below `min_cosine` \(1\)\. Lower the threshold, /,
    ],
    [
      { path: join(FIXTURES, 'models/embedder'), quantize: 'bf16' },
      /model\.onnx has no float32 matrices that can be quantized\. /,
    ],
    [
      { ...int8, calibration: 'absent.txt' },
      /`calibration` is .*absent\.txt, which does not exist\. Set it to a text file/,
    ],
    [
      { ...int8, calibration: 'texts' },
      /`calibration` is .*texts, which is a folder\. Set it to a text file/,
    ],
    [
      { ...int8, calibration: texts('few.txt', lines(12).repeat(9)) },
      /few\.txt, which has 12 different texts; at least 40 are required\./,
    ],
    [
      { ...int8, calibration: texts('binary.txt', Uint8Array.of(255, 254, 10)) },
      /binary\.txt, which is not UTF-8 text\./,
    ],
    [
      { path: join(FIXTURES, 'models/embedder'), quantize: 'int8' },
      /model\.onnx has no float32 matrices that can be quantized\. Use the float32 graph of the model, or remove `quantize`\./,
    ],
    [
      { path: join(FIXTURES, 'models/gliner-span'), model_type: 'zero_shot_ner', quantize: 'int8' },
      /Models of type zero_shot_ner cannot be quantized\. Remove `quantize`\./,
    ],
    [
      { path: 'bert', quantize: 'int4' },
      /encoderfile\.quantize: expected one of none, int8, bf16, auto; found "int4"; did you mean `int8`\?/,
    ],
    [{ ...int8, min_cosine: 2 }, /min_cosine/],
  ];
  for (const [fields, message] of cases) {
    const { exitCode, stdout, stderr } = await build(writeConfig('x', fields));
    expect({ exitCode, stdout, fields }).toEqual({ exitCode: 1, stdout: '', fields });
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain('\n    at ');
    expect(existsSync(join(folder(), 'x.assets'))).toBe(false);
  }
  const auto = await build(writeConfig('x', { path: 'bert', quantize: 'auto', min_cosine: 1 }));
  expect(auto).toMatchObject({ exitCode: 0 });
  expect(auto.stderr).toMatch(/The model stays in float32: the mean cosine to float32 is 0\.99\d\d, below/);
  expect(auto.stdout).toMatch(/^Precision +float32$/m);
});
