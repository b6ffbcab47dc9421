import { cpSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { openServingEngine } from '#encoder/engine/serving-engine.ts';
import { runCliHere as runCli } from '../helpers/cli-here.ts';
import { expectClose } from '../helpers/close.ts';
import { DEFAULT_LIMITS } from '../helpers/default-limits.ts';
import { copyMultiVector, goldenMultiVector, readGoldenMultiVector } from '../helpers/golden-multi-vector.ts';
import { writeConfig } from '../helpers/model-folder.ts';
import { TEST_CACHE } from '../helpers/paths.ts';
import type { Answer } from '../helpers/run-process.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { verifiesOnce } from './verifies.ts';

const folder = useTempFolder();
const { documents } = readGoldenMultiVector();
const saved = goldenMultiVector('saved');

const run = (...args: string[]): Promise<Answer> =>
  runCli(args, { cwd: folder(), env: { XDG_CACHE_HOME: TEST_CACHE } });
const validate = (fields: Record<string, unknown> = {}): Promise<Answer> =>
  run('validate', '-f', writeConfig(folder(), { model_type: 'multi_vector', ...fields }), '--json');

verifiesOnce('multi-vector:guess', async () => {
  for (const name of ['saved', 'stanford']) {
    rmSync(join(folder(), 'model'), { recursive: true, force: true });
    copyMultiVector(folder(), goldenMultiVector(name));
    rmSync(join(folder(), 'model', 'encoderfile.yml'), { force: true });
    const { exitCode, stdout } = await run('validate', 'model');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/Type +multi_vector, 8 dimensions/);
    expect(stdout).toMatch(/Vectors +one per token, L2-normalized/);
    expect(stdout).toMatch(
      name === 'saved'
        ? /Queries +up to 16 tokens, marked with "\[Q\] ", padded with \[MASK\]/
        : /Queries +up to 12 tokens, marked with "\[unused0\]", padded with \[MASK\]/,
    );
    expect(stdout).toMatch(/Documents .*32 vocabulary tokens without a vector/);
    const { stdout: init } = await run('init', 'model', '-o', `${name}.yml`, '--json');
    expect(JSON.parse(init)).toMatchObject({ modelType: 'multi_vector' });
  }
});

verifiesOnce('multi-vector:settings', async () => {
  copyMultiVector(folder(), saved);
  const { stdout } = await validate({
    query_prefix: '',
    document_prefix: '[CLS]',
    query_length: 9,
    document_length: 30,
    attend_to_expansion_tokens: true,
    skiplist_words: ['.', 'the'],
    normalize: false,
  });
  const { multiVector } = JSON.parse(stdout).manifest;
  expect(multiVector).toEqual({
    query: { maxLength: 9, expansion: { id: 4, token: '[MASK]', isAttended: true } },
    document: {
      marker: { id: 2, token: '[CLS]' },
      maxLength: 30,
      skipped: [expect.any(Number), expect.any(Number)],
    },
    normalize: false,
  });
  const refusals: [fields: Record<string, unknown>, message: RegExp][] = [
    [{ query_prefix: 'query: ' }, /`query_prefix` is \\"query: \\", but the tokenizer has no such token\./],
    [{ document_length: 65 }, /`document_length` is 65, but the model supports at most 64 tokens\./],
    [{ long_texts: 'windows' }, /windows is not supported for model_type multi_vector, because/],
    [
      { pooling: 'mean' },
      /pooling: requires model_type sentence_embedding or image_embedding, but `model_type` is multi_vector/,
    ],
    [
      { model_type: 'embedding', query_length: 8 },
      /query_length: requires model_type multi_vector, but `model_type` is embedding/,
    ],
  ];
  for (const [fields, message] of refusals) expectRefusal(await validate(fields), message);
  rmSync(join(folder(), 'model', '1_Dense', 'model.safetensors'));
  expectRefusal(
    await validate(),
    /1_Dense has no model\.safetensors or pytorch_model\.bin\. Download the model files again\./,
  );
  rmSync(join(folder(), 'model', 'modules.json'));
  expectRefusal(
    await validate(),
    /the model has no projection: neither a Dense module in modules\.json nor linear\.weight/,
  );
  rmSync(join(folder(), 'model'), { recursive: true });
  copyMultiVector(folder(), { ...goldenMultiVector('modernbert'), settings: { query_length: 20 } });
  expectRefusal(
    await validate(),
    /layers with local attention cover 16 tokens on each side, but queries have up to 20/,
  );
  rmSync(join(folder(), 'model'), { recursive: true });
  copyMultiVector(folder(), { ...goldenMultiVector('stanford'), settings: { similarity: 'l2' } });
  expectRefusal(
    await validate(),
    /artifact\.metadata: `similarity` is \\"l2\\", but only cosine is supported/,
  );
});

verifiesOnce('multi-vector:exported', async () => {
  copyMultiVector(folder(), saved);
  const model = join(folder(), 'model');
  const config = writeConfig(folder(), { model_type: 'multi_vector' });
  const built = join(folder(), 'model.assets');
  const vectorsOfBuild = async (): Promise<number[][][]> => {
    rmSync(built, { recursive: true, force: true });
    const args = ['build', '--no-build', '-q', '-f', config, '--cache-dir', TEST_CACHE];
    expect(await runCli(args, { cwd: folder() })).toMatchObject({ exitCode: 0, stderr: '' });
    const engine = await openServingEngine(built, { limits: DEFAULT_LIMITS, workers: 1, threads: 1 });
    const view = { kind: 'result', format: 'json', options: { normalize: true, role: 'document' } } as const;
    const { results } = await engine.run({
      inputs: documents.map((text) => ({ text })),
      view,
      role: 'document',
    });
    await engine.close();
    return results.map(
      (bytes) => (JSON.parse(Buffer.from(bytes).toString()) as { vectors: number[][] }).vectors,
    );
  };
  const changes = (): string[] =>
    (JSON.parse(readFileSync(join(built, 'manifest.json'), 'utf8')) as { graphChanges?: string[] })
      .graphChanges ?? [];
  const check = (vectors: number[][][]): void => {
    for (const [at, rows] of vectors.entries())
      expectClose(rows.flat(), saved.documents[at]?.flat(), documents[at] ?? '');
  };
  check(await vectorsOfBuild());
  expect(changes()).toContain('Projected vectors to 8 dimensions');
  // The graph with the projection, and the settings as exported by PyLate.
  cpSync(join(built, 'graph.onnx'), join(model, 'model.onnx'));
  cpSync(join(built, 'weights.bin'), join(model, 'weights.bin'));
  rmSync(join(model, 'model.safetensors'));
  renameSync(join(model, 'config_sentence_transformers.json'), join(model, 'onnx_config.json'));
  check(await vectorsOfBuild());
  expect(changes()).not.toContain('Projected vectors to 8 dimensions');
});

function expectRefusal({ exitCode, stdout }: Answer, message: RegExp): void {
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(message);
}
