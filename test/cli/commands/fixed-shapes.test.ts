import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseManifest } from '#core/model/manifest-json.ts';
import type { GraphProto } from '#gen/onnx/v1/onnx_pb.ts';
import { openEngine } from '#encoder/engine/engine.ts';
import { openServingEngine } from '#encoder/engine/serving-engine.ts';
import { runCliHere as runCli } from '../../helpers/cli-here.ts';
import { expectClose } from '../../helpers/close.ts';
import { DEFAULT_LIMITS } from '../../helpers/default-limits.ts';
import { dropAttentionMask, editGraph } from '../../helpers/edited-graph.ts';
import { fixShape } from '../../helpers/fixed-shape.ts';
import { readGolden } from '../../helpers/golden.ts';
import { numbersIn } from '../../helpers/numbers-in.ts';
import { copyModel } from '../../helpers/model-folder.ts';
import { TEST_CACHE } from '../../helpers/paths.ts';
import { useTempFolder } from '../../helpers/temp-folder.ts';

const folder = useTempFolder();
const assets = (): string => join(folder(), 'model.assets');
const manifest = () => parseManifest(readFileSync(join(assets(), 'manifest.json')));

async function build(model: string, edit: (graph: GraphProto) => void, config: Record<string, unknown> = {}) {
  const file = copyModel(folder(), model, config);
  editGraph(join(folder(), 'model', 'model.onnx'), edit);
  return await runCli(['build', '-f', file, '--no-build', '--cache-dir', TEST_CACHE], { cwd: folder() });
}

/** Expects the results of onnxruntime for Python with the original graph, for single texts and for all texts together. */
async function expectGolden(model: string): Promise<void> {
  const golden = readGolden(model).slice(0, 20);
  const texts = golden.map(({ text }) => text);
  const expected = golden.map(({ logits = [], embeddings = [] }) => [...logits, ...embeddings].flat());
  const engine = await openEngine(assets(), { threads: () => 1, prepack: false, cacheDir: TEST_CACHE });
  const served = await openServingEngine(assets(), { limits: DEFAULT_LIMITS, cacheDir: TEST_CACHE });
  try {
    const together = await engine.infer(texts);
    for (const [at, text] of texts.entries()) {
      const [alone] = await engine.infer([text]);
      expectClose([...(alone?.values ?? [])], expected[at], `${text} alone`);
      expectClose([...(together[at]?.values ?? [])], expected[at], `${text} with others`);
    }
    const view = { kind: 'result', format: 'json', options: {} } as const;
    const answers = await Promise.all([
      served.run({ inputs: texts.map((text) => ({ text })), view }),
      ...texts.map((text) => served.run({ inputs: [{ text }], view })),
    ]);
    const [all = [], ...each] = answers.map(({ results }) =>
      results.map((bytes) => numbersIn(JSON.parse(new TextDecoder().decode(bytes)))),
    );
    for (const [at, text] of texts.entries()) expectClose(all[at], each[at]?.[0], `${text} served`);
  } finally {
    await Promise.all([engine.close(), served.close()]);
  }
}

test.each([
  ['sentiment', { texts: 1 }, 'single', 'fixed shape [1, any]. For speed'],
  [
    'sentiment',
    { texts: 1, tokens: 128 },
    'single',
    'fixed shape [1, 128]; every text is padded to 128 tokens',
  ],
  ['ner', { tokens: 128 }, 'any', 'fixed shape [any, 128]; every text is padded to 128 tokens'],
  ['ner', { texts: 3, tokens: 128 }, 'any', 'fixed shape [3, 128]; every text is padded to 128 tokens'],
  ['embedder', { texts: 3 }, 'any', 'fixed shape [3, any]. For speed, export with dynamic axes'],
] as const)(
  '%s with the shape %j returns the same results as the reference',
  async (model, shape, batching, shown) => {
    const types = {
      sentiment: 'sequence_classification',
      ner: 'token_classification',
      embedder: 'embedding',
    };
    const built = await build(model, (graph) => fixShape(graph, shape), { model_type: types[model] });
    expect(built.exitCode, built.stderr).toBe(0);
    expect(built.stdout).toMatch(/^Shape +fixed shape /m);
    expect(built.stdout).toContain(shown);
    expect(manifest()).toMatchObject({ fixedShape: shape, batching });
    expect(manifest().tokenizer.maxLength).toBe(128);
    await expectGolden(model);
  },
);

test('the maximum text length is the fixed number of tokens', async () => {
  const built = await build('sentiment', (graph) => fixShape(graph, { texts: 1, tokens: 12 }));
  expect(built.exitCode, built.stderr).toBe(0);
  expect(manifest().tokenizer.maxLength).toBe(12);
  expect(built.stdout).not.toContain('Texts are limited');
  const engine = await openEngine(assets(), { threads: () => 1, prepack: false, cacheDir: TEST_CACHE });
  try {
    const [long] = await engine.infer(['good '.repeat(50)]);
    expect(long?.text.ids).toHaveLength(12);
  } finally {
    await engine.close();
  }
});

test('texts with a fixed number of tokens can share a run without a mask, because their padding is identical', async () => {
  const built = await build(
    'embedder',
    (graph) => {
      fixShape(graph, { tokens: 64 });
      dropAttentionMask(graph);
    },
    { model_type: 'embedding' },
  );
  expect(built.exitCode, built.stderr).toBe(0);
  expect(manifest()).toMatchObject({ fixedShape: { tokens: 64 }, batching: 'any' });
});

test.each([
  [
    'a maximum length above the fixed number of tokens',
    (graph: GraphProto) => fixShape(graph, { texts: 1, tokens: 64 }),
    { max_length: 100 },
    /`max_length` is 100, but the inputs of .*model\.onnx have the fixed shape \[1, 64\]\. Set `max_length` to at most 64, or export the model with dynamic axes\./,
  ],
  [
    'inputs that contradict each other',
    (graph: GraphProto) => {
      fixShape(graph, { tokens: 64 });
      fixShape(graph, { tokens: 32 }, ['attention_mask']);
    },
    {},
    /The inputs of .*model\.onnx have different fixed shapes: .*`attention_mask` \[batch_size, 32\].* Export the model with dynamic axes\.|ONNX Runtime cannot load/,
  ],
  [
    'an input with the wrong number of axes',
    (graph: GraphProto) => {
      const mask = graph.input.find(({ name }) => name === 'attention_mask')?.type?.tensorType?.shape;
      const [batch, tokens] = mask?.dim ?? [];
      if (mask && batch && tokens) mask.dim = [batch, batch, batch, tokens];
    },
    {},
    /Input `attention_mask` of .*model\.onnx has the shape \[batch_size, batch_size, batch_size, sequence_length\], but \[batch, sequence\] is required\./,
  ],
  [
    'a shape without room for text',
    (graph: GraphProto) => fixShape(graph, { texts: 1, tokens: 2 }),
    {},
    /The inputs of .*model\.onnx have the fixed shape \[1, 2\], which leaves no room for text\. Export the model with dynamic axes\./,
  ],
])('%s is rejected', async (_name, edit, config, message) => {
  const built = await build('sentiment', edit, config);
  expect(built.exitCode).toBe(1);
  expect(built.stderr).toMatch(message);
});
