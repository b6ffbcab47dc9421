import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromBinary } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { withOnnxRuntime } from '#cli/adapters/onnxruntime.ts';
import { optimizeGraph } from '#cli/packaging/model/optimize-graph.ts';
import { tryTextGraph } from '#cli/packaging/model/prepare-graph.ts';
import { rewriteGraph } from '#cli/packaging/model/rewrite-graph.ts';
import { type GraphProto, ModelProtoSchema } from '#gen/onnx/v1/onnx_pb.ts';
import { addFirstTokens, editGraph, passThroughSequence } from '../../../helpers/edited-graph.ts';
import { embedderTokenizer } from '../../../helpers/embedder-tokenizer.ts';
import { graphRequest } from '../../../helpers/graph-request.ts';
import { FIXTURES } from '../../../helpers/paths.ts';
import { useTempFolder } from '../../../helpers/temp-folder.ts';

const OUTPUT = 'last_hidden_state';
const scratch = useTempFolder();

test('all values in a prepared graph have shapes, with symbols for the number of texts and the number of tokens', async () => {
  const { graph, shapes } = await prepare('plain', () => {});
  const values = graph.node.flatMap(({ output }) => output).filter((name) => !['', OUTPUT].includes(name));
  expect(values.length).toBeGreaterThan(20);
  for (const value of values) expect(shapes.get(value), value).not.toContain('unknown');
  expect(shapes.values()).toContainEqual(['batch', 'sequence', 32]);
  expect(shapes.get('attention_mask')).toEqual(['batch', 'sequence']);
});

test('a graph with a capped size, or with non-tensor values, still runs', async () => {
  const plain = await prepare('plain', () => {});
  const limited = await prepare('limited', (graph) => addFirstTokens(graph, OUTPUT, 16));
  const sequence = await prepare('sequence', (graph) => passThroughSequence(graph, OUTPUT));
  expect(limited.results).toEqual(plain.results);
  expect(sequence.results).toEqual(plain.results);
  expect(sequence.shapes.get('attention_mask')).toEqual(['batch_size', 'sequence_length']);
});

/** Prepares an edited graph as in a build, and runs texts of several lengths through it. */
async function prepare(
  name: string,
  edit: (graph: GraphProto) => void,
): Promise<{ graph: GraphProto; shapes: Map<string, unknown[]>; results: number[][] }> {
  const folder = join(scratch(), name);
  mkdirSync(folder);
  const file = join(folder, 'model.onnx');
  copyFileSync(join(FIXTURES, 'models/embedder/model.onnx'), file);
  editGraph(file, edit);
  const tokenizer = await embedderTokenizer();
  const request = graphRequest(file);
  return await withOnnxRuntime(async (runtime) => {
    const rewritten = await rewriteGraph(request, tokenizer, await optimizeGraph(runtime, request, folder));
    const { graphPath, maxLength } = await tryTextGraph(runtime, request, tokenizer, rewritten, folder);
    const { inputs } = rewritten.signature;
    const results: number[][] = [];
    for (const length of [3, 16, 17, maxLength]) {
      const ids = [Array.from({ length }, (_, at) => at + 1), [1, 2]];
      const { data } = await runtime.tryOut({
        graph: graphPath,
        folder,
        inputs,
        output: OUTPUT,
        ids,
        padId: 0,
      });
      results.push([...data]);
    }
    const { graph } = fromBinary(ModelProtoSchema, readFileSync(graphPath));
    if (!graph) throw new Error('no graph');
    return { graph, shapes: shapesOf(graph), results };
  });
}

const shapesOf = ({ input, valueInfo }: GraphProto): Map<string, unknown[]> =>
  new Map(
    [...input, ...valueInfo].map(({ name, type }) => [
      name,
      (type?.tensorType?.shape?.dim ?? []).map(
        ({ dimValue, dimParam }) => dimParam || Number(dimValue) || 'unknown',
      ),
    ]),
  );
