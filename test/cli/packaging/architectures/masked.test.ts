import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import {
  writeGraph,
  writeMaskedLogits,
  writeVocabularyLogits,
} from '#cli/packaging/architectures/write-graph.ts';
import { appendSparsePooling, SPARSE_OUTPUT } from '#cli/packaging/onnx/append-sparse-pooling.ts';
import { MASKED_OUTPUT } from '#cli/packaging/onnx/mask-positions.ts';
import { ModelProtoSchema } from '#gen/onnx/v1/onnx_pb.ts';
import { largestDifference } from '../../../helpers/close.ts';
import { FIXTURES } from '../../../helpers/paths.ts';
import { useTempFolder } from '../../../helpers/temp-folder.ts';
import { inputNames, useOnnxRuntime } from '../../../helpers/use-onnxruntime.ts';

const folder = useTempFolder();
const runtime = useOnnxRuntime();

interface Golden {
  readonly ids: readonly (readonly number[])[];
  /** Token positions with their logits, for each text. */
  readonly positions: readonly (readonly number[])[];
  readonly logits: readonly (readonly (readonly number[])[])[];
  /** Sparse vectors by pooling and activation. */
  readonly [pooled: `${'max' | 'sum'}-${string}`]: readonly (readonly number[])[];
}
const GOLDEN = JSON.parse(readFileSync(join(FIXTURES, 'golden/masked-architectures.json'), 'utf8')) as Record<
  string,
  Golden
>;
const POOLINGS = ['max', 'sum'] as const;
const ACTIVATIONS = ['relu', 'log1p_relu'] as const;

/** Writes the graph of a fixture, optimized as a build does. Returns its path. */
async function write(model: string, maskId?: number): Promise<string> {
  const source = join(FIXTURES, 'architectures', model);
  const files = { weights: join(source, 'model.safetensors'), config: join(source, 'config.json') };
  const written = await writeGraph(
    files,
    maskId === undefined ? writeVocabularyLogits : writeMaskedLogits(maskId),
    folder(),
  );
  const graph = join(folder(), 'graph.onnx');
  await runtime().optimize({ model: written, graph, weights: 'weights.bin', integers: undefined });
  return graph;
}

const run = async (graph: string, output: string, ids: Golden['ids']) =>
  await runtime().tryOut({ graph, folder: folder(), inputs: inputNames(graph), output, ids, padId: 0 });

test.each(Object.entries(GOLDEN))(
  '%s: vocabulary logits and sparse pooling match the reference',
  async (name, golden) => {
    const { ids, positions, logits } = golden;
    const graph = await write(`${name}-masked`);
    const { data, dims } = await run(graph, 'logits', ids);
    const [, length = 0, width = 0] = dims;
    const found = positions.flatMap((list, text) =>
      list.flatMap((at) => {
        const start = (text * length + at) * width;
        return [...data.subarray(start, start + width)];
      }),
    );
    expect(largestDifference(found, logits.flat(2))).toBeLessThan(1e-5);

    for (const pooling of POOLINGS) {
      for (const activation of ACTIVATIONS) {
        const expected = golden[`${pooling}-${activation}`];
        if (!expected) continue;
        const model = fromBinary(ModelProtoSchema, readFileSync(graph));
        if (!model.graph) throw new Error('no graph');
        const settings = { pooling, activation, similarity: 'dot' } as const;
        appendSparsePooling(model, model.graph, 'logits', settings);
        const pooled = join(folder(), `${pooling}-${activation}.onnx`);
        writeFileSync(pooled, toBinary(ModelProtoSchema, model));
        const sparse = await run(pooled, SPARSE_OUTPUT.name, ids);
        expect(largestDifference([...sparse.data], expected.flat())).toBeLessThan(1e-5);
      }
    }

    // An ID that occurs in some of the texts acts as the mask token. This overwrites the files of the other graph.
    const maskId = ids[0]?.at(-1) ?? 0;
    const masked = await run(await write(`${name}-masked`, maskId), MASKED_OUTPUT.name, ids);
    const [, masks = 0] = masked.dims;
    for (const [text, row] of ids.entries()) {
      const places = row.flatMap((id, at) => (id === maskId ? [at] : []));
      for (const [nth, at] of places.entries()) {
        const [from, start] = [(text * masks + nth) * width, (text * length + at) * width];
        const [actual, wanted] = [masked.data.slice(from, from + width), data.slice(start, start + width)];
        expect(largestDifference([...actual], [...wanted])).toBeLessThan(1e-5);
      }
    }
  },
);

test('an untied decoder is supported, and a model type without a known head is rejected', async () => {
  const model = join(folder(), 'model');
  cpSync(join(FIXTURES, 'architectures/bert-masked'), model, { recursive: true });
  const files = { weights: join(model, 'model.safetensors'), config: join(model, 'config.json') };
  const config = JSON.parse(readFileSync(files.config, 'utf8')) as object;
  const target = join(folder(), 'out');
  mkdirSync(target);
  const attempt = async (change: object): Promise<string> => {
    writeFileSync(files.config, JSON.stringify({ ...config, ...change }));
    return await writeGraph(files, writeVocabularyLogits, target);
  };
  // The file contains the matrix only once, regardless of config.json.
  await expect(attempt({ tie_word_embeddings: false })).resolves.toContain('written.onnx');
  await expect(attempt({ model_type: 'qwen3' })).rejects.toThrow(
    'The masked-LM head of a model of type "qwen3" cannot be built without an export. Supported types: albert, bert, camembert, deberta-v2, distilbert, electra, ernie, esm, eurobert, modernbert, jina_embeddings_v3, layoutlm, longformer, mpnet, roberta, xlm-roberta, xlm-roberta-flash, xlm-roberta-xl.',
  );
});
