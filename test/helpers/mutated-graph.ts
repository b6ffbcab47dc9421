import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { type GraphProto, ModelProtoSchema } from '#gen/onnx/v1/onnx_pb.ts';
import { nestedNodes } from '#cli/packaging/onnx/nested-nodes.ts';

/** Numbers in [0, 1), identical for each seed. */
function randomNumbers(seed: number): () => number {
  let state = Math.imul(seed + 1, 2_654_435_761) >>> 0;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  for (let at = 0; at < 8; at++) next();
  return next;
}

/** An ONNX file damaged as by a broken download or disk: truncated, with a missing part, or with other bytes. */
export function damageBytes(file: Uint8Array, seed: number): Uint8Array {
  const random = randomNumbers(seed);
  const below = (end: number): number => Math.floor(random() * end);
  const [kind, at] = [random(), below(file.length)];
  if (kind < 0.2) return file.slice(0, at);
  if (kind < 0.35) return Uint8Array.from([...file.slice(0, at), ...file.slice(at + 1 + below(60))]);
  const result = file.slice();
  for (let count = 1 + below(4); count > 0; count--) {
    const place = below(file.length);
    result[place] = random() < 0.5 ? below(256) : (result[place] ?? 0) ^ (1 << below(8));
  }
  return result;
}

/** A valid message with a meaningless graph: sizes, types, names, operators and attributes are changed. */
export function damageGraph(file: Uint8Array, seed: number): Uint8Array {
  const random = randomNumbers(seed);
  const pick = <Item>(items: readonly Item[]): Item | undefined => items[Math.floor(random() * items.length)];
  const model = fromBinary(ModelProtoSchema, file);
  const { graph } = model;
  if (!graph) throw new Error('no graph');
  const size = (): bigint => pick(SIZES) ?? 0n;
  const edits: ((target: GraphProto) => void)[] = [
    ({ input, output }) => {
      const type = pick([...input, ...output])?.type?.tensorType;
      const dim = pick(type?.shape?.dim ?? []);
      if (dim) dim.dimValue = size();
    },
    ({ input, output }) => {
      const type = pick([...input, ...output])?.type?.tensorType;
      if (type) type.elemType = Math.floor(random() * 24);
    },
    ({ input, output }) => {
      const value = pick([...input, ...output]);
      if (value && random() < 0.5) delete value.type?.tensorType?.shape;
      else if (value) delete value.type;
    },
    ({ initializer }) => {
      const tensor = pick(initializer);
      if (tensor) tensor.dims = tensor.dims.map(() => size());
    },
    ({ initializer }) => {
      const tensor = pick(initializer);
      if (tensor && random() < 0.5) tensor.rawData = tensor.rawData.slice(0, 3);
      else if (tensor) tensor.dataType = Math.floor(random() * 24);
    },
    (target) => {
      const node = pick([...nestedNodes(target)]);
      if (node) node.opType = pick(target.node)?.opType ?? 'Foo';
    },
    (target) => {
      const node = pick([...nestedNodes(target)]);
      const names = [...target.input, ...target.output, ...target.initializer].map(({ name }) => name);
      if (node) node.input = node.input.map((name) => (random() < 0.5 ? (pick(names) ?? name) : name));
    },
    (target) => {
      const attribute = pick([...nestedNodes(target)].flatMap((node) => node.attribute));
      if (attribute) attribute.i = size();
    },
    (target) => {
      const [a, b] = [pick(target.node), pick(target.node)];
      if (a && b) a.output = b.output;
    },
    (target) => {
      target.node = target.node.filter(() => random() < 0.9);
    },
    (target) => {
      const tensor = pick(target.initializer);
      const integers = tensor?.dataType === 7 ? new BigInt64Array(tensor.rawData.length / 8) : undefined;
      if (tensor && integers) tensor.rawData = new Uint8Array(integers.map(() => size()).buffer);
    },
  ];
  for (let count = 1 + Math.floor(random() * 2); count > 0; count--) pick(edits)?.(graph);
  return toBinary(ModelProtoSchema, model);
}

const SIZES = [-(2n ** 63n), -1n, 0n, 1n, 2n, 3n, 7n, 128n, 65_536n, 2n ** 31n, 2n ** 40n, 2n ** 63n - 1n];
