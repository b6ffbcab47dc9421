import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GraphFile } from '#cli/packaging/onnx/graph-file.ts';
import { roundFactors } from '#cli/packaging/quantize/bfloat16-products.ts';
import { cosine } from '../bench/measure/vectors.ts';
import { readGolden } from '../helpers/golden.ts';
import { FIXTURES, TEST_CACHE } from '../helpers/paths.ts';
import { type Arm64Machine, prepareArm64 } from '../helpers/qemu-arm64.ts';
import { writeRandomBert } from '../helpers/random-bert.ts';
import { runCli } from '../helpers/run-cli.ts';
import { runProcess } from '../helpers/run-process.ts';

// Downloads the emulator, libraries and Node for arm64 on the first run; emulation is about ten times slower than a real CPU.
const PREPARE_MS = 600_000;
const RUN_MS = 300_000;

describe('an executable for linux-arm64', () => {
  const folder = mkdtempSync(join(tmpdir(), 'encoderfile-arm64-'));
  const executable = join(folder, 'sentiment.encoder');
  let machine: Arm64Machine | undefined;

  beforeAll(async () => {
    const prepared = await prepareArm64();
    if ('missing' in prepared) {
      console.warn(`SKIPPED: no executable for linux-arm64 was run. Missing: ${prepared.missing}`);
      return;
    }
    const config = join(FIXTURES, 'models/sentiment/encoderfile.yml');
    const target = ['--platform', 'linux-arm64', '-o', executable, '--cache-dir', TEST_CACHE];
    const { exitCode, stderr } = await runCli(['build', '--quiet', '-f', config, ...target]);
    if (exitCode !== 0) throw new Error(`cannot build for linux-arm64: ${stderr}`);
    machine = prepared;
  }, PREPARE_MS);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const run = async (...args: string[]): Promise<string> => {
    const answer = await machine?.run(executable, args, { ENCODERFILE_CACHE_DIR: join(folder, 'cache') });
    expect(answer).toMatchObject({ exitCode: 0 });
    // Some texts are longer than the model's maximum.
    expect(answer?.stderr).toMatch(/^(Warning: \d+ of \d+ texts were truncated to \d+ tokens, [^\n]*)?\n?$/);
    return answer?.stdout ?? '';
  };

  it('returns the same results as Python for every text', { timeout: RUN_MS }, async (context) => {
    context.skip(!machine, 'no emulator');
    // Program arguments cannot contain a null character.
    const cases = readGolden('sentiment').filter(({ text }) => !text.includes('\0'));
    const { predictions } = JSON.parse(await run('infer', '--', ...cases.map(({ text }) => text)));
    expect(predictions).toHaveLength(cases.length);
    for (const [index, { id, predicted_label, scores }] of cases.entries()) {
      const { label, score } = predictions[index];
      const difference = Math.abs(score - Math.max(...(scores as number[])));
      expect({ id, label, close: difference < 1e-5 }).toEqual({ id, label: predicted_label, close: true });
    }
  });

  it('verifies itself and prints its facts', { timeout: RUN_MS }, async (context) => {
    context.skip(!machine, 'no emulator');
    expect(await run('verify')).toContain(`${executable} is intact.`);
    expect(await run('inspect')).toContain('aarch64-unknown-linux-gnu');
  });

  /** Builds an executable from a random BERT, or from another folder, and returns its path. */
  const built = async (quantize: string, platform: string, path = 'bert'): Promise<string> => {
    writeRandomBert(join(folder, 'bert'));
    const name = `${path}-${quantize}`;
    const config = join(folder, `${name}.yml`);
    const fields = { name, model_type: 'sentence_embedding', path, quantize, normalize: false };
    writeFileSync(config, JSON.stringify({ encoderfile: fields }));
    const output = join(folder, `${name}-${platform}.encoder`);
    const target = ['--platform', platform, '-o', output, '--cache-dir', TEST_CACHE];
    const { exitCode, stderr } = await runCli(['build', '--quiet', '-f', config, ...target]);
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
    return output;
  };
  const vectors = ({ stdout }: { readonly stdout: string }): number[][] => JSON.parse(stdout).embeddings;
  const vectorsOn = async (
    processor: 'cortex-a72' | 'max',
    executable: string,
    texts: readonly string[],
  ): Promise<number[][]> => {
    const env = { ENCODERFILE_CACHE_DIR: join(folder, 'cache') };
    const actual = await machine?.run(executable, ['infer', ...texts], env, processor);
    if (!actual) throw new Error('no emulator');
    expect(actual).toMatchObject({ exitCode: 0 });
    return vectors(actual);
  };

  it(
    'returns nearly the same int8 vectors as x64, with and without integer instructions',
    { timeout: RUN_MS },
    async (context) => {
      context.skip(!machine, 'no emulator');
      const expected = vectors(await runProcess(await built('int8', 'linux-x64'), ['infer', ...TEXTS]));
      const executable = await built('int8', 'linux-arm64');
      for (const processor of ['cortex-a72', 'max'] as const) {
        for (const [at, vector] of (await vectorsOn(processor, executable, TEXTS)).entries())
          expect(cosine(vector, expected[at] ?? []), processor).toBeGreaterThan(0.998);
      }
    },
  );

  it(
    'computes bf16 products as the build predicts, and in float32 on a CPU without them',
    { timeout: RUN_MS },
    async (context) => {
      context.skip(!machine, 'no emulator');
      const float = vectors(await runProcess(await built('none', 'linux-x64'), ['infer', ...TEXTS]));
      const executable = await built('bf16', 'linux-arm64');
      const largest = Math.max(...float.flat().map(Math.abs));
      const without = await vectorsOn('cortex-a72', executable, TEXTS);
      expect(distance(without, float)).toBeLessThan(1e-6 * largest);

      // The prediction: the same graph on x64, with rounded factors.
      const config = join(folder, 'bert-bf16.yml');
      const assets = join(folder, 'rounded.assets');
      const { exitCode } = await runCli(['build', '--no-build', '-f', config, '-o', assets.slice(0, -7)]);
      expect(exitCode).toBe(0);
      await (
        await GraphFile.read(join(assets, 'graph.onnx'))
      ).write('model', ({ graph }) => {
        if (graph) roundFactors(graph);
      });
      rmSync(join(assets, 'graph.onnx'));
      const predicting = await built('none', 'linux-x64', 'rounded.assets');
      const predicted = vectors(await runProcess(predicting, ['infer', ...TEXTS]));

      // With this many texts, weights are prepacked, as in a server.
      const many = Array.from({ length: 6 }, () => TEXTS).flat();
      const actual = (await vectorsOn('max', executable, many)).slice(0, TEXTS.length);
      const rounding = distance(predicted, float);
      expect(rounding).toBeGreaterThan(1e-5 * largest);
      expect(distance(actual, float)).toBeGreaterThan(rounding / 2);
      expect(distance(actual, predicted)).toBeLessThan(rounding / 2);
      for (const [at, vector] of actual.entries())
        expect(cosine(vector, float[at] ?? [])).toBeGreaterThan(0.99999);
      // A text alone runs with weights that are not prepacked, and returns the same numbers.
      expect(await vectorsOn('max', executable, TEXTS.slice(1, 2))).toEqual([actual[1]]);
    },
  );
});

const TEXTS = ['no', 'The train to the coast was late again.', 'Who wrote the first program?'];

/** The root mean square of the differences. */
function distance(a: readonly number[][], b: readonly number[][]): number {
  const squares = a.flatMap((row, at) => row.map((value, column) => (value - (b[at]?.[column] ?? 0)) ** 2));
  return Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / squares.length);
}
