import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { ByteSource } from '#contract/container/byte-source.ts';
import { messageFields } from './message-fields.ts';

/** Location of an initializer's bytes, from the external_data entries of an ONNX TensorProto. */
interface ExternalData {
  readonly location: string;
  readonly offset: number;
  readonly length: number | undefined;
}

/** Field numbers of onnx.proto (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto). */
const MODEL_GRAPH = 7;
const GRAPH_NODE = 1;
const GRAPH_INITIALIZER = 5;
const NODE_ATTRIBUTE = 5;
const ATTRIBUTE_GRAPH = 6;
const ATTRIBUTE_GRAPHS = 11;
const TENSOR_EXTERNAL_DATA = 13;
const ENTRY_KEY = 1;
const ENTRY_VALUE = 2;

type MapEntry = (data: ExternalData) => ExternalData;

/** Replaces the locations of a model's external weights. All other bytes remain the same. */
export function mapExternalData(model: Uint8Array, map: MapEntry): Uint8Array {
  return mapFields(model, new Map([[MODEL_GRAPH, (graph) => mapGraph(graph, map)]]));
}

function mapGraph(graph: Uint8Array, map: MapEntry): Uint8Array {
  const nested = (bytes: Uint8Array): Uint8Array => mapGraph(bytes, map);
  const attribute = new Map([
    [ATTRIBUTE_GRAPH, nested],
    [ATTRIBUTE_GRAPHS, nested],
  ]);
  const node = new Map([[NODE_ATTRIBUTE, (bytes: Uint8Array) => mapFields(bytes, attribute)]]);
  return mapFields(
    graph,
    new Map([
      [GRAPH_NODE, (bytes: Uint8Array) => mapFields(bytes, node)],
      [GRAPH_INITIALIZER, (bytes: Uint8Array) => mapTensor(bytes, map)],
    ]),
  );
}

function mapTensor(tensor: Uint8Array, map: MapEntry): Uint8Array {
  const entries = new Map<string, string>();
  mapFields(
    tensor,
    new Map([
      [
        TENSOR_EXTERNAL_DATA,
        (entry) => {
          const [key, value] = decodeEntry(entry);
          entries.set(key, value);
          return entry;
        },
      ],
    ]),
  );
  const location = entries.get('location');
  if (location === undefined) return tensor;
  const length = entries.get('length');
  const mapped = map({
    location,
    offset: Number(entries.get('offset') ?? 0),
    length: length === undefined ? undefined : Number(length),
  });
  const writer = new BinaryWriter().raw(
    mapFields(tensor, new Map([[TENSOR_EXTERNAL_DATA, () => undefined]])),
  );
  entries.set('location', mapped.location).set('offset', String(mapped.offset));
  if (mapped.length !== undefined) entries.set('length', String(mapped.length));
  for (const entry of entries) {
    writer.tag(TENSOR_EXTERNAL_DATA, WireType.LengthDelimited).bytes(encodeEntry(entry));
  }
  return writer.finish();
}

/**
 * Copies a message. If there is a function for a length-delimited field, the field is replaced with
 * the result, or removed if the result is undefined.
 */
function mapFields(
  message: Uint8Array,
  fields: ReadonlyMap<number, (bytes: Uint8Array) => Uint8Array | undefined>,
): Uint8Array {
  const reader = new BinaryReader(message);
  const writer = new BinaryWriter();
  while (reader.pos < reader.len) {
    const start = reader.pos;
    const [number, wireType] = reader.tag();
    const replace = wireType === WireType.LengthDelimited ? fields.get(number) : undefined;
    if (replace) {
      const replaced = replace(reader.bytes());
      if (replaced) writer.tag(number, wireType).bytes(replaced);
    } else {
      reader.skip(wireType, number);
      writer.raw(message.subarray(start, reader.pos));
    }
  }
  return writer.finish();
}

/** Reads an entry of a StringStringEntryProto list. */
function decodeEntry(entry: Uint8Array): [key: string, value: string] {
  const reader = new BinaryReader(entry);
  let key = '';
  let value = '';
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (number === ENTRY_KEY) key = reader.string();
    else if (number === ENTRY_VALUE) value = reader.string();
    else reader.skip(wireType, number);
  }
  return [key, value];
}

function encodeEntry([key, value]: readonly [string, string]): Uint8Array {
  const writer = new BinaryWriter();
  writer.tag(ENTRY_KEY, WireType.LengthDelimited).string(key);
  writer.tag(ENTRY_VALUE, WireType.LengthDelimited).string(value);
  return writer.finish();
}

/** Maximum length of an entry. Longer entries do not contain file names. */
const MAX_ENTRY_BYTES = 4096;

/**
 * Returns the names of a model's external weight files, relative to the graph; empty for a file
 * that is not a model.
 */
export function externalLocations(source: ByteSource): string[] {
  const found = new Set<string>();
  try {
    for (const graph of messageFields(source, 0, source.size)) {
      if (graph.number !== MODEL_GRAPH) continue;
      for (const tensor of messageFields(source, graph.start, graph.end)) {
        if (tensor.number !== GRAPH_INITIALIZER) continue;
        for (const { number, start, end } of messageFields(source, tensor.start, tensor.end)) {
          if (number !== TENSOR_EXTERNAL_DATA || end - start > MAX_ENTRY_BYTES) continue;
          const [key, value] = decodeEntry(source.readAt(start, end - start));
          if (key === 'location') found.add(value);
        }
      }
    }
  } catch {
    // Errors are ignored, because ONNX Runtime reads the same file next and reports them.
  }
  return [...found];
}
