import { cpSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fromBinary } from '@bufbuild/protobuf';
import { describe, expect, test } from 'vitest';
import { ASSETS } from '#contract/assets.ts';
import { parseManifest } from '#core/model/manifest-json.ts';
import { ModelProtoSchema } from '#gen/onnx/v1/onnx_pb.ts';
import { openEngine } from '#encoder/engine/engine.ts';
import { runCliHere as runCli } from '../../helpers/cli-here.ts';
import { expectClose } from '../../helpers/close.ts';
import { readGolden } from '../../helpers/golden.ts';
import { writeConfig } from '../../helpers/model-folder.ts';
import { FIXTURES, TEST_CACHE } from '../../helpers/paths.ts';
import { useTempFolder } from '../../helpers/temp-folder.ts';

const folder = useTempFolder();
const assets = (): string => join(folder(), 'model.assets');

/** Reference results of onnxruntime for Python, for each text and output (fixtures/scripts/make_graphs.py). */
type Golden = Readonly<Record<string, readonly Readonly<Record<string, readonly number[]>>[] | null>>;
const golden: Golden = JSON.parse(readFileSync(join(FIXTURES, 'golden/graphs.json'), 'utf8'));
const TEXTS = readGolden('embedder')
  .slice(0, 8)
  .map(({ text }) => text);

async function build(graph: string, config: Record<string, unknown>) {
  mkdirSync(join(folder(), 'model'));
  cpSync(join(FIXTURES, 'graphs', `${graph}.onnx`), join(folder(), 'model/model.onnx'));
  for (const name of ['tokenizer.json', 'tokenizer_config.json'])
    cpSync(join(FIXTURES, 'models/embedder', name), join(folder(), 'model', name));
  const file = writeConfig(folder(), config);
  return await runCli(['build', '-f', file, '--no-build', '--cache-dir', TEST_CACHE], { cwd: folder() });
}

/** Expects the reference results for each text, alone and in a batch. */
async function expectGolden(graph: string, output: string, tolerance?: number): Promise<void> {
  // Uses the same session options as servers: some operators compute differently without prepacked weights.
  const engine = await openEngine(assets(), { threads: () => 1, prepack: true, cacheDir: TEST_CACHE });
  try {
    const together = await engine.infer(TEXTS);
    for (const [at, text] of TEXTS.entries()) {
      const [alone] = await engine.infer([text]);
      const expected = [...(golden[graph]?.[at]?.[output] ?? [])];
      expectClose([...(alone?.values ?? [])], expected, `${text} alone`, tolerance);
      expectClose([...(together[at]?.values ?? [])], expected, `${text} with others`, tolerance);
    }
  } finally {
    await engine.close();
  }
}

const [EMBEDDING, SENTENCE] = [{ model_type: 'embedding' }, { model_type: 'sentence_embedding' }];
const OPSETS = [11, 12, 13, 15, 18, 20, 21].map(
  (opset) => [`opset-${opset}`, EMBEDDING, 'last_hidden_state'] as const,
);

test.each([
  ...OPSETS,
  ['unknown-rank', EMBEDDING, 'last_hidden_state'],
  ['skip-norms', EMBEDDING, 'last_hidden_state'],
  ['float16-weights', EMBEDDING, 'last_hidden_state'],
  ['bfloat16-weights', EMBEDDING, 'last_hidden_state'],
  ['float16-product', EMBEDDING, 'last_hidden_state', 2e-3],
  ['sentence-embedding', SENTENCE, 'sentence_embedding'],
  ['sentence-embedding', { ...SENTENCE, pooling: 'mean' }, 'token_embeddings'],
  ['sentence-embedding', EMBEDDING, 'token_embeddings'],
  ['sentence-embedding-alone', SENTENCE, 'sentence_embedding'],
  ['pooler-output', SENTENCE, 'last_hidden_state'],
  ['pooler-output', EMBEDDING, 'last_hidden_state'],
  ['pooler-output', { ...SENTENCE, output: 'pooler_output' }, 'pooler_output'],
  ['pooler-output-alone', SENTENCE, 'pooler_output'],
] as const)('%s with %j returns %s', async (graph, config, output, tolerance?: number) => {
  const built = await build(graph, config);
  expect(built.exitCode, built.stderr).toBe(0);
  expect(parseManifest(readFileSync(join(assets(), 'manifest.json'))).output).toBe(output);
  await expectGolden(graph, output, tolerance);
});

test('fused add-and-normalize operators are split, because they are slow on CPUs', async () => {
  const built = await build('skip-norms', EMBEDDING);
  expect(built.exitCode, built.stderr).toBe(0);
  const { graph } = fromBinary(ModelProtoSchema, readFileSync(join(assets(), ASSETS.graph)));
  const kinds = graph?.node.map(({ opType }) => opType).filter((kind) => kind.endsWith('Normalization'));
  // ONNX Runtime itself fuses the residual of the exported attention with its norm.
  expect(kinds).toEqual([
    'LayerNormalization',
    'LayerNormalization',
    'LayerNormalization',
    'SimplifiedLayerNormalization',
  ]);
});

test.each([
  [
    'sentence-embedding-alone',
    /Model must return last_hidden_state for model_type embedding; .*model\.onnx returns `sentence_embedding`\./,
  ],
  [
    'pooler-output-alone',
    /Model must return last_hidden_state for model_type embedding; .* returns `pooler_output`\./,
  ],
  [
    'bfloat16-product',
    /ONNX Runtime cannot load .*model\.onnx: .*On CPUs, ONNX Runtime does not support this operator for the model's element type, for example bfloat16\. Export it as float32 or float16\./,
  ],
])('an embedding build rejects %s with a one-sentence error', async (graph, message) => {
  const built = await build(graph, EMBEDDING);
  expect({ exitCode: built.exitCode, stderr: built.stderr }).toEqual({
    exitCode: 1,
    stderr: expect.stringMatching(message),
  });
});

describe('integer weights', () => {
  test('integer tables and matrices are stored as integers, regardless of how the graph converts them', async () => {
    const built = await build('integer-tables', EMBEDDING);
    expect(built.exitCode, built.stderr).toBe(0);
    const original = statSync(join(FIXTURES, 'graphs/integer-tables.onnx')).size;
    expect(statSync(join(assets(), ASSETS.weights)).size).toBeLessThan(original * 1.1);
    const { graph } = fromBinary(ModelProtoSchema, readFileSync(join(assets(), ASSETS.graph)));
    const lookups = graph?.node.filter(
      ({ opType, input }) => opType === 'Gather' && input[1] === 'input_ids',
    );
    const weights = new Set(graph?.initializer.map(({ name }) => name));
    // A run converts only the rows that it looks up, not the whole tables.
    expect(lookups?.filter(({ input: [table = ''] }) => !weights.has(table))).toEqual([]);
    await expectGolden('integer-tables', 'last_hidden_state');
  });

  test('`integer_weights: convert` converts integer weights during the build', async () => {
    const built = await build('integer-tables', { ...EMBEDDING, integer_weights: 'convert' });
    expect(built.exitCode, built.stderr).toBe(0);
    expect(built.stdout).toMatch(/^Precision +float32$/m);
    const { graph } = fromBinary(ModelProtoSchema, readFileSync(join(assets(), ASSETS.graph)));
    expect(graph?.node.map(({ opType }) => opType)).not.toContain('DequantizeLinear');
    expect(graph?.initializer.filter(({ dataType }) => [2, 3].includes(dataType))).toEqual([]);
    await expectGolden('integer-tables', 'last_hidden_state');
  });
});
