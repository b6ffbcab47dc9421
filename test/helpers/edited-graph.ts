import { readFileSync, writeFileSync } from 'node:fs';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { PIXEL_INPUT } from '#contract/manifest.ts';
import {
  AttributeProtoSchema,
  type GraphProto,
  GraphProtoSchema,
  ModelProtoSchema,
  type NodeProto,
  NodeProtoSchema,
  TensorProtoSchema,
} from '#gen/onnx/v1/onnx_pb.ts';

/** Changes the graph in an ONNX file in place, and returns the result of `edit`. */
export function editGraph<Result>(path: string, edit: (graph: GraphProto) => Result): Result {
  const model = fromBinary(ModelProtoSchema, readFileSync(path));
  if (!model.graph) throw new Error(`${path} has no graph`);
  const result = edit(model.graph);
  writeFileSync(path, toBinary(ModelProtoSchema, model));
  return result;
}

/** AttributeProto.AttributeType and TensorProto.DataType of onnx.proto. */
const [TENSOR, INT, INTS, GRAPH, INT64, FLOAT] = [4, 2, 7, 5, 7, 1];

const node = (opType: string, input: string[], output: string[]): NodeProto =>
  create(NodeProtoSchema, { opType, name: output[0] ?? '', input, output });

/** Removes the input `attention_mask`, as in models exported without it: every position counts. */
export function dropAttentionMask(graph: GraphProto): void {
  graph.input = graph.input.filter(({ name }) => name !== 'attention_mask');
  const ones = node('ConstantOfShape', ['ids_shape'], ['attention_mask']);
  const value = create(TensorProtoSchema, {
    dataType: INT64,
    dims: [1n],
    rawData: new Uint8Array(BigInt64Array.of(1n).buffer),
  });
  ones.attribute = [create(AttributeProtoSchema, { name: 'value', type: TENSOR, t: value })];
  graph.node.unshift(node('Shape', ['input_ids'], ['ids_shape']), ones);
}

/** Imitates dynamic quantization of the input of the first product: one scale for the whole batch. */
export function quantizeFirstProduct(graph: GraphProto): void {
  beforeFirstProduct(graph, (from, to) => [
    node('DynamicQuantizeLinear', [from], ['q', 'q_scale', 'q_zero']),
    node('DequantizeLinear', ['q', 'q_scale', 'q_zero'], [to]),
  ]);
}

/** The same with operators whose names do not reveal it. */
export function quantizeByHand(graph: GraphProto): void {
  graph.initializer.push(
    create(TensorProtoSchema, {
      name: 'levels',
      dataType: FLOAT,
      rawData: new Uint8Array(Float32Array.of(15).buffer),
    }),
  );
  const largest = node('ReduceMax', ['magnitude'], ['largest']);
  largest.attribute = [create(AttributeProtoSchema, { name: 'keepdims', type: INT, i: 0n })];
  beforeFirstProduct(graph, (from, to) => [
    node('Abs', [from], ['magnitude']),
    largest,
    node('Div', ['levels', 'largest'], ['per_step']),
    node('Mul', [from, 'per_step'], ['steps']),
    node('Round', ['steps'], ['rounded']),
    node('Div', ['rounded', 'per_step'], [to]),
  ]);
}

function beforeFirstProduct(graph: GraphProto, make: (from: string, to: string) => NodeProto[]): void {
  const at = graph.node.findIndex(({ opType }) => opType === 'MatMul');
  const product = graph.node[at];
  const from = product?.input[0];
  if (!product || from === undefined) throw new Error('the graph has no product');
  const to = `${from}_edited`;
  product.input[0] = to;
  graph.node.splice(at, 0, ...make(from, to));
}

/** Divides the output by 0 for texts with this token: their values become infinite, and those of other texts stay the same. */
export function divideByZeroFor(graph: GraphProto, token: bigint, outputName: string): void {
  const finite = `${outputName}_finite`;
  for (const { output } of graph.node) {
    for (const [at, name] of output.entries()) if (name === outputName) output[at] = finite;
  }
  const constants = {
    bad_token: { dataType: INT64, dims: [1n], rawData: new Uint8Array(BigInt64Array.of(token).buffer) },
    one: { dataType: FLOAT, dims: [1n], rawData: new Uint8Array(Float32Array.of(1).buffer) },
    // The shape of one number per text, for an output with two or three axes.
    per_text: {
      dataType: INT64,
      dims: [outputName === 'logits' ? 2n : 3n],
      rawData: new Uint8Array(BigInt64Array.from(outputName === 'logits' ? [-1n, 1n] : [-1n, 1n, 1n]).buffer),
    },
  };
  for (const [name, tensor] of Object.entries(constants))
    graph.initializer.push(create(TensorProtoSchema, { name, ...tensor }));
  const cast = node('Cast', ['is_bad'], ['bad_tokens']);
  cast.attribute = [create(AttributeProtoSchema, { name: 'to', type: INT, i: BigInt(FLOAT) })];
  const largest = node('ReduceMax', ['bad_tokens'], ['bad_text']);
  largest.attribute = [create(AttributeProtoSchema, { name: 'axes', type: INTS, ints: [1n] })];
  graph.node.push(
    node('Equal', ['input_ids', 'bad_token'], ['is_bad']),
    cast,
    largest,
    node('Sub', ['one', 'bad_text'], ['divisor_row']),
    node('Reshape', ['divisor_row', 'per_text'], ['divisor']),
    node('Div', [finite, 'divisor'], [outputName]),
  );
}

/** Doubles an output in a branch with its own constant, as in DeBERTa graphs. The condition is true for every text. */
export function doubleInBranch(graph: GraphProto, output: string): void {
  const before = renameOutput(graph, output);
  graph.initializer.push(
    create(TensorProtoSchema, {
      name: 'least',
      dataType: INT64,
      rawData: new Uint8Array(BigInt64Array.of(0n).buffer),
    }),
  );
  const largest = node('ReduceMax', ['input_ids'], ['largest_id']);
  largest.attribute = [create(AttributeProtoSchema, { name: 'keepdims', type: INT, i: 0n })];
  const two = create(TensorProtoSchema, {
    name: 'two',
    dataType: FLOAT,
    rawData: new Uint8Array(Float32Array.of(2).buffer),
  });
  const branch = (name: string, only: NodeProto, initializer: (typeof two)[]): GraphProto =>
    create(GraphProtoSchema, { name, node: [only], initializer, output: [{ name: only.output[0] ?? '' }] });
  const choice = node('If', ['has_ids'], [output]);
  choice.attribute = [
    create(AttributeProtoSchema, {
      name: 'then_branch',
      type: GRAPH,
      g: branch('then', node('Mul', [before, 'two'], ['doubled']), [two]),
    }),
    create(AttributeProtoSchema, {
      name: 'else_branch',
      type: GRAPH,
      g: branch('else', node('Identity', [before], ['same']), []),
    }),
  ];
  graph.node.push(largest, node('Greater', ['largest_id', 'least'], ['has_ids']), choice);
}

/** Adds to an output a value that is zero and has a size only for the first tokens. */
export function addFirstTokens(graph: GraphProto, output: string, tokens: number): void {
  const before = renameOutput(graph, output);
  const integers = { first: 0, end: tokens, axis: 1 };
  for (const [name, value] of Object.entries(integers)) {
    const rawData = new Uint8Array(BigInt64Array.of(BigInt(value)).buffer);
    graph.initializer.push(create(TensorProtoSchema, { name, dataType: INT64, dims: [1n], rawData }));
  }
  const cast = node('Cast', ['first_mask'], ['first_floats']);
  cast.attribute = [create(AttributeProtoSchema, { name: 'to', type: INT, i: BigInt(FLOAT) })];
  const largest = node('ReduceMax', ['first_negative'], ['first_largest']);
  largest.attribute = [create(AttributeProtoSchema, { name: 'keepdims', type: INT, i: 0n })];
  graph.node.push(
    node('Slice', ['attention_mask', 'first', 'end', 'axis'], ['first_mask']),
    cast,
    node('Neg', ['first_floats'], ['first_negative']),
    largest,
    node('Sub', ['first_largest', 'first_largest'], ['first_nothing']),
    node('Add', [before, 'first_nothing'], [output]),
  );
}

/** Copies the pixels of images by a convolution at the start of the graph. */
export function copyByConvolution(graph: GraphProto): void {
  for (const { input } of graph.node)
    for (const [at, name] of input.entries()) if (name === PIXEL_INPUT) input[at] = 'copied_pixels';
  graph.initializer.push(
    create(TensorProtoSchema, {
      name: 'identity',
      dims: [3n, 3n, 1n, 1n],
      dataType: FLOAT,
      rawData: new Uint8Array(Float32Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1).buffer),
    }),
  );
  graph.node.unshift(node('Conv', [PIXEL_INPUT, 'identity'], ['copied_pixels']));
}

/** Passes an output through a sequence of tensors, which is not a tensor. */
export function passThroughSequence(graph: GraphProto, output: string): void {
  const before = renameOutput(graph, output);
  graph.initializer.push(
    create(TensorProtoSchema, {
      name: 'only',
      dataType: INT64,
      rawData: new Uint8Array(BigInt64Array.of(0n).buffer),
    }),
  );
  graph.node.push(
    node('SequenceConstruct', [before], ['values']),
    node('SequenceAt', ['values', 'only'], [output]),
  );
}

/** Renames the value of the output, and returns the new name. */
function renameOutput(graph: GraphProto, output: string): string {
  const before = `${output}_before`;
  for (const each of graph.node) each.output = each.output.map((name) => (name === output ? before : name));
  return before;
}
