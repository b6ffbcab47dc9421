import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { withOnnxRuntime } from '#cli/adapters/onnxruntime.ts';
import { keepOutputs } from '#cli/packaging/onnx/keep-outputs.ts';
import { ModelProtoSchema } from '#gen/onnx/v1/onnx_pb.ts';
import { doubleInBranch, editGraph } from '../../../helpers/edited-graph.ts';
import { ROOT } from '../../../helpers/paths.ts';
import { useTempFolder } from '../../../helpers/temp-folder.ts';

const OUTPUT = 'last_hidden_state';
const scratch = useTempFolder();

test('a branch with its own constants still runs after ONNX Runtime has optimized the graph', async () => {
  const folder = scratch();
  const plain = join(ROOT, 'fixtures/models/embedder/model.onnx');
  const model = join(folder, 'branch.onnx');
  copyFileSync(plain, model);
  editGraph(model, (graph) => doubleInBranch(graph, OUTPUT));
  const expected = await outputOf(plain, folder);
  const actual = await outputOf(model, folder);
  expect(actual).toHaveLength(expected.length);
  for (const [at, value] of actual.entries()) expect(value).toBeCloseTo(2 * (expected[at] ?? 0), 5);
});

/** Optimizes a graph as in a build, and runs one text. */
function outputOf(model: string, folder: string): Promise<number[]> {
  return withOnnxRuntime(async (runtime) => {
    const graph = join(folder, 'graph.onnx');
    await runtime.optimize({ model, graph, weights: 'weights.bin', integers: undefined });
    const proto = fromBinary(ModelProtoSchema, readFileSync(graph));
    if (!proto.graph) throw new Error('no graph');
    keepOutputs(proto.graph, [OUTPUT]);
    writeFileSync(graph, toBinary(ModelProtoSchema, proto));
    const inputs = ['input_ids', 'attention_mask', 'token_type_ids'];
    const { data } = await runtime.tryOut({
      graph,
      folder,
      inputs,
      output: OUTPUT,
      ids: [[1, 7, 9, 2]],
      padId: 0,
    });
    return [...data];
  });
}
