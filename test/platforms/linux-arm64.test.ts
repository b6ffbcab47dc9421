import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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

  it(
    'returns nearly the same int8 vectors as x64, with and without integer instructions',
    { timeout: RUN_MS },
    async (context) => {
      context.skip(!machine, 'no emulator');
      writeRandomBert(join(folder, 'bert'));
      const config = join(folder, 'int8.yml');
      const fields = { name: 'int8', model_type: 'sentence_embedding', path: 'bert', quantize: 'int8' };
      writeFileSync(config, JSON.stringify({ encoderfile: fields }));
      const built = async (platform: string): Promise<string> => {
        const output = join(folder, `int8-${platform}.encoder`);
        const target = ['--platform', platform, '-o', output, '--cache-dir', TEST_CACHE];
        const { exitCode, stderr } = await runCli(['build', '--quiet', '-f', config, ...target]);
        expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
        return output;
      };
      const texts = ['no', 'The train to the coast was late again.', 'Who wrote the first program?'];
      const vectors = ({ stdout }: { readonly stdout: string }): number[][] => JSON.parse(stdout).embeddings;
      const expected = vectors(await runProcess(await built('linux-x64'), ['infer', ...texts]));
      const executable = await built('linux-arm64');
      for (const processor of ['cortex-a72', 'max'] as const) {
        const env = { ENCODERFILE_CACHE_DIR: join(folder, 'cache') };
        const actual = await machine?.run(executable, ['infer', ...texts], env, processor);
        if (!actual) throw new Error('no emulator');
        for (const [at, vector] of vectors(actual).entries())
          expect(cosine(vector, expected[at] ?? []), processor).toBeGreaterThan(0.998);
      }
    },
  );
});
