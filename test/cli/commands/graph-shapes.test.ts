import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import {
  type GraphProto,
  NodeProtoSchema,
  TensorProtoSchema,
  type ValueInfoProto,
  ValueInfoProtoSchema,
} from '#gen/onnx/v1/onnx_pb.ts';
import { openEngine } from '#encoder/engine/engine.ts';
import { runCliHere as runCli } from '../../helpers/cli-here.ts';
import { expectClose } from '../../helpers/close.ts';
import { castNode } from '#core/onnx/attributes.ts';
import { editGraph } from '../../helpers/edited-graph.ts';
import { readGolden } from '../../helpers/golden.ts';
import { copyModel } from '../../helpers/model-folder.ts';
import { TEST_CACHE } from '../../helpers/paths.ts';
import { useTempFolder } from '../../helpers/temp-folder.ts';

const folder = useTempFolder();
const [FLOAT, INT8, INT32, INT64, BOOL, FLOAT16] = [1, 3, 6, 7, 9, 10];

const inputOf = (graph: GraphProto, name: string): ValueInfoProto => {
  const input = graph.input.find((candidate) => candidate.name === name);
  if (!input) throw new Error(`no input ${name}`);
  return input;
};

/** Changes the name and type of a graph input, as other exporters would write it. */
function declare(graph: GraphProto, name: string, type: number, newName = name): void {
  const input = inputOf(graph, name);
  if (input.type?.tensorType) input.type.tensorType.elemType = type;
  const inner = `${name}_before`;
  for (const node of graph.node) node.input = node.input.map((value) => (value === name ? inner : value));
  input.name = newName;
  graph.node.unshift(castNode(`${name}_cast`, newName, inner, INT64));
}

/** Builds the sentiment model with the edited graph. */
async function build(edit: (graph: GraphProto) => void, config: Record<string, unknown> = {}) {
  const file = copyModel(folder(), 'sentiment', config);
  editGraph(join(folder(), 'model', 'model.onnx'), edit);
  return await runCli(['build', '-f', file, '--no-build', '--cache-dir', TEST_CACHE], { cwd: folder() });
}

/** Expects the logits that onnxruntime for Python computes with the original graph. */
async function expectGoldenLogits(): Promise<void> {
  const assets = join(folder(), 'model.assets');
  const engine = await openEngine(assets, { threads: () => 1, prepack: false, cacheDir: TEST_CACHE });
  try {
    for (const { id, text, logits = [] } of readGolden('sentiment').slice(0, 12)) {
      const [result] = await engine.infer([text]);
      expectClose([...(result?.values ?? [])], logits.flat(), id);
    }
  } finally {
    await engine.close();
  }
}

// oxlint-disable-next-line vitest/expect-expect -- the function contains the assertions.
test.each([
  ['int32', INT32, INT32],
  ['a float32 mask', INT64, FLOAT],
  ['a float16 mask', INT64, FLOAT16],
  ['a bool mask', INT32, BOOL],
])('inputs with other element types are cast: %s', async (_name, ids, mask) => {
  const built = await build((graph) => {
    declare(graph, 'attention_mask', mask);
    declare(graph, 'token_type_ids', ids);
    declare(graph, 'input_ids', ids);
  });
  expect(built.exitCode, built.stderr).toBe(0);
  expect(built.stdout).toMatch(/^Changes +Input /m);
  await expectGoldenLogits();
});

test.each([
  ['common names from other exporters', ['input_word_ids', 'input_mask', 'segment_ids'], {}],
  ['names with an output number', ['input_ids:0', 'attention_mask:0', 'token_type_ids:0'], {}],
  ['a name that an exporter numbered', ['input.1', 'mask', 'segments'], {}],
  [
    'names in the config',
    ['x', 'y', 'z'],
    { inputs: { input_ids: 'x', attention_mask: 'y', token_type_ids: 'z' } },
  ],
])('inputs with nonstandard names are matched: %s', async (_name, [ids, mask, types], config) => {
  const built = await build((graph) => {
    declare(graph, 'attention_mask', INT64, mask);
    declare(graph, 'token_type_ids', INT64, types);
    declare(graph, 'input_ids', INT64, ids);
  }, config);
  expect(built.exitCode, built.stderr).toBe(0);
  expect(built.stdout).toContain(`Input ${ids} is mapped to input_ids`);
  await expectGoldenLogits();
});

test.each([
  [
    'an unknown name',
    (graph: GraphProto) => declare(graph, 'attention_mask', INT64, 'which'),
    {},
    /requires the input `which`, which cannot be derived from text\..*`inputs: \{attention_mask: "which"\}`/,
  ],
  [
    'a name in the config that does not exist in the graph',
    () => undefined,
    { inputs: { input_ids: 'ids' } },
    /`inputs\.input_ids` is "ids", but the inputs of .*model\.onnx are `input_ids`, .*Choose one of these/,
  ],
  [
    'two inputs for the attention mask',
    (graph: GraphProto) => declare(graph, 'token_type_ids', INT64, 'mask'),
    {},
    /has several inputs for `attention_mask`: .*`mask`.* Name each one in the config/,
  ],
  [
    'an input for a cache of earlier text',
    (graph: GraphProto) => {
      const cache = create(ValueInfoProtoSchema, {
        name: 'past_key_values.0.key',
        type: { tensorType: { elemType: FLOAT, shape: { dim: [{ dimParam: 'batch' }] } } },
      });
      graph.input.push(cache);
    },
    {},
    /requires the input `past_key_values\.0\.key`, a cache of earlier text.*Export the model as an encoder/,
  ],
  [
    'an operator that ONNX Runtime does not support',
    (graph: GraphProto) => {
      graph.node.unshift(
        create(NodeProtoSchema, { opType: 'Foo', domain: 'x.y', input: ['input_ids'], output: ['foo'] }),
      );
    },
    {},
    /ONNX Runtime cannot load .*Export it with standard operators only/,
  ],
])('an unsupported graph is rejected: %s', async (_name, edit, config, message) => {
  const built = await build(edit, config);
  expect(built.exitCode).toBe(1);
  expect(built.stderr).toMatch(message);
  expect(built.stderr).not.toMatch(/^ +at /m);
});

/** Stores the embedding table as int8 with a scale per row, converted by Cast and Mul. The scale makes the result exact to 8 bits. */
function quantizeTable(graph: GraphProto): void {
  const lookup = graph.node.find((node) => node.opType === 'Gather' && node.input[1] === 'input_ids');
  const table = graph.initializer.find(({ name }) => name === lookup?.input[0]);
  const [rows = 0, columns = 0] = table?.dims.map(Number) ?? [];
  if (!lookup || !table) throw new Error('no embedding table');
  const values = new Float32Array(Uint8Array.from(table.rawData).buffer);
  const scales = Float32Array.from({ length: rows }, (_, row) => {
    const own = values.subarray(row * columns, (row + 1) * columns);
    return Math.max(...own.map(Math.abs)) / 127 || 1;
  });
  const integers = Int8Array.from(values, (value, at) =>
    Math.round(value / (scales[Math.floor(at / columns)] ?? 1)),
  );
  graph.initializer.push(
    create(TensorProtoSchema, {
      name: 'integers',
      dataType: INT8,
      dims: table.dims,
      rawData: new Uint8Array(integers.buffer),
    }),
    create(TensorProtoSchema, {
      name: 'scales',
      dataType: FLOAT,
      dims: [BigInt(rows), 1n],
      rawData: new Uint8Array(scales.buffer),
    }),
  );
  graph.initializer = graph.initializer.filter((tensor) => tensor !== table);
  graph.node.unshift(
    castNode('widened', 'integers', 'widened', FLOAT),
    create(NodeProtoSchema, {
      opType: 'Mul',
      name: 'scaled',
      input: ['widened', 'scales'],
      output: [table.name],
    }),
  );
}

test('int8 weights stay int8 in the file', async () => {
  const before = await build(() => undefined);
  expect(before.exitCode, before.stderr).toBe(0);
  const weights = join(folder(), 'model.assets', 'weights.bin');
  const float = statSync(weights).size;
  const built = await build(quantizeTable);
  expect(built.exitCode, built.stderr).toBe(0);
  const manifest: unknown = JSON.parse(readFileSync(join(folder(), 'model.assets', 'manifest.json'), 'utf8'));
  expect(manifest).toMatchObject({ modelType: 'sequence_classification', width: 2 });
  expect(statSync(weights).size).toBeLessThan(float * 0.7);
});
