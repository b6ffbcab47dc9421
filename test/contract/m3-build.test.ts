import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { openServingEngine } from '#encoder/engine/serving-engine.ts';
import { runCliHere } from '../helpers/cli-here.ts';
import { DEFAULT_LIMITS } from '../helpers/default-limits.ts';
import { expectOutputs, type OutputsRow, readGoldenM3 } from '../helpers/golden-m3.ts';
import { copyModel } from '../helpers/models.ts';
import { FIXTURES, TEST_CACHE } from '../helpers/paths.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { verifiesOnce } from './verifies.ts';

const folder = useTempFolder();
const golden = readGoldenM3();
const ALL = ['dense', 'sparse', 'multi_vector'] as const;
const model = (): string => join(folder(), 'model');
const assets = (): string => join(folder(), 'model.assets');

const build = (...args: string[]) => {
  rmSync(assets(), { recursive: true, force: true });
  const target = ['--no-build', '-o', join(folder(), 'model.encoder'), '--cache-dir', TEST_CACHE];
  return runCliHere(['build', model(), ...target, ...args], { cwd: folder() });
};

async function rows(): Promise<OutputsRow[]> {
  const engine = await openServingEngine(assets(), { limits: DEFAULT_LIMITS, workers: 1, threads: 1 });
  const view = { kind: 'result', format: 'json', options: { normalize: true, outputs: ALL } } as const;
  const { results } = await engine.run({ inputs: golden.results.map(({ text }) => ({ text })), view });
  await engine.close();
  return results.map((bytes) => JSON.parse(Buffer.from(bytes).toString()) as OutputsRow);
}

/** The fixture with an exported graph instead of its weights. */
function exported(name: string, ...without: string[]): void {
  rmSync(model(), { recursive: true, force: true });
  copyModel('m3', model());
  cpSync(join(FIXTURES, 'm3', `${name}.onnx`), join(model(), 'model.onnx'));
  for (const file of ['model.safetensors', ...without]) rmSync(join(model(), file));
}

verifiesOnce('m3:build', async () => {
  copyModel('m3', model());
  const heads = 'model is of type sentence_embedding, because it has sparse_linear.pt and colbert_linear.pt';
  const found = await build();
  expect(found).toMatchObject({ exitCode: 0 });
  expect(found.stderr).toContain(heads);
  expect(found.stdout).toMatch(/^Vector +first token \(cls\), L2-normalized$/m);
  expect(found.stdout).toMatch(/^Outputs +dense, sparse, multi_vector \(8 dimensions\)$/m);
  expectOutputs(await rows(), golden.results, ALL, 'safetensors');
  exported('hidden');
  expect((await build()).stderr).toContain(heads);
  expectOutputs(await rows(), golden.results, ALL, 'hidden states');
  exported('heads', 'sparse_linear.pt', 'colbert_linear.pt');
  const three = await build();
  expect(three.stderr).toContain('because the graph returns dense, sparse and multi-vector outputs');
  expectOutputs(await rows(), golden.results, ALL, 'three outputs');
});

verifiesOnce('m3:build-without', async () => {
  copyModel('m3', model());
  const config = join(folder(), 'x.yml');
  const built = async (fields: object): Promise<string> => {
    const all = { name: 'x', path: model(), model_type: 'sentence_embedding', ...fields };
    writeFileSync(config, JSON.stringify({ encoderfile: all }));
    const { exitCode, stdout, stderr } = await runCliHere(['validate', '-f', config], { cwd: folder() });
    return `${exitCode}\n${stdout}${stderr}`;
  };
  const without = (reason: string): unknown =>
    expect.stringMatching(
      new RegExp(
        `^0\n[^]*The model returns only dense vectors, without the outputs of sparse_linear\\.pt and colbert_linear\\.pt, because ${reason}\\.`,
      ),
    );
  expect(await built({ long_texts: 'windows' })).toEqual(without('`long_texts: windows` is set'));
  const transform = 'function Postprocess(arr) return arr:mean_pool(mask) end';
  expect(await built({ transform, validate_transform: false })).toEqual(without('a `transform` is set'));
  const refused = async (file: string, bytes: Uint8Array, message: RegExp): Promise<void> => {
    const path = join(model(), file);
    const original = readFileSync(path);
    writeFileSync(path, bytes);
    expect(await built({})).toMatch(message);
    writeFileSync(path, original);
  };
  const saved = (name: string): Uint8Array => readFileSync(join(FIXTURES, 'm3', `${name}.pt`));
  for (const name of ['legacy', 'plain']) {
    await refused(
      'sparse_linear.pt',
      saved(name),
      /^1\n.*sparse_linear\.pt is for vectors with 3 dimensions, but `hidden_size` in config\.json is 16\./,
    );
  }
  await refused(
    'sparse_linear.pt',
    readFileSync(join(model(), 'colbert_linear.pt')),
    /^1\n.*sparse_linear\.pt: the layer has 8 outputs, but exactly 1 \(the token weight\) is required\./,
  );
  rmSync(join(model(), 'colbert_linear.pt'));
  expect(await built({})).toEqual(without('colbert_linear\\.pt is missing'));
});
