import { create } from '@bufbuild/protobuf';
import { configError } from '#contract/errors.ts';
import {
  type GraphProto,
  type NodeProto,
  NodeProtoSchema,
  type ValueInfoProto,
} from '#gen/onnx/v1/onnx_pb.ts';
import { castNode, int } from '#core/onnx/attributes.ts';
import { integerConstant } from '#core/onnx/constants.ts';
import { BOOL, isFloat, isInteger, typeName } from '#core/onnx/element-types.ts';
import { axesOf } from './match-inputs.ts';

/** The input of exported graphs that marks which pixels are not padding. */
const PIXEL_MASK = 'pixel_mask';

/** Images, height and width. */
const MASK_AXES = 3;
/** Maximum height and width of a mask of a fixed size. Published exports have 64. */
const MAX_SIDE = 4096;

/**
 * Replaces the input `pixel_mask`, if the graph has one, by ones, because only images of equal size share a
 * run, so that no pixel is padding. Modifies the graph.
 */
export function fillPixelMask(graph: GraphProto, pixels: string, file: string): void {
  const at = graph.input.findIndex(({ name }) => name === PIXEL_MASK);
  const input = graph.input[at];
  if (!input) return;
  const type = input.type?.tensorType?.elemType ?? 0;
  const dims = axesOf(input);
  const isTooLarge = dims.some((side) => side !== undefined && side > MAX_SIDE);
  if (dims.length !== MASK_AXES || isTooLarge || !isNumber(type)) {
    throw configError(
      `Input \`${PIXEL_MASK}\` of ${file} must be numbers of the shape [batch, height, width] with at most ${MAX_SIDE} per side, not ${typeName(type)} of the shape [${dims.map((dim) => dim ?? 'any').join(', ')}]. Export the model to ONNX again.`,
    );
  }
  graph.input.splice(at, 1);
  graph.node = onesLike(graph, pixels, { input, type, dims }).concat(graph.node);
}

const isNumber = (type: number): boolean => type === BOOL || isFloat(type) || isInteger(type);

interface Mask {
  readonly input: ValueInfoProto;
  readonly type: number;
  readonly dims: readonly (number | undefined)[];
}

/** Nodes that create the mask. Some exports read a mask of a fixed size, whatever the size of the images is. */
function onesLike(graph: GraphProto, pixels: string, { input, type, dims }: Mask): NodeProto[] {
  const constant = (name: string, values: readonly number[]): string => {
    const own = `${PIXEL_MASK}_${name}`;
    graph.initializer.push(integerConstant(own, values));
    return own;
  };
  const node = (
    opType: string,
    inputs: readonly string[],
    output: string,
    ...attribute: NodeProto['attribute']
  ): NodeProto =>
    create(NodeProtoSchema, { opType, name: output, input: [...inputs], output: [output], attribute });
  const [, height, width] = dims;
  const sides = (at: number, side: number | undefined): [string, NodeProto[]] => {
    if (side !== undefined) return [constant(`side_${at}`, [side]), []];
    const name = `${PIXEL_MASK}_side_${at}`;
    return [name, [node('Shape', [pixels], name, int('start', at), int('end', at + 1))]];
  };
  const parts = [sides(0, undefined), sides(2, height), sides(3, width)];
  const names = parts.map(([name]) => name);
  return [
    ...parts.flatMap(([, nodes]) => nodes),
    node('Concat', names, `${PIXEL_MASK}_shape`, int('axis', 0)),
    node('Expand', [constant('one', [1]), `${PIXEL_MASK}_shape`], `${PIXEL_MASK}_ones`),
    castNode(`${PIXEL_MASK}_cast`, `${PIXEL_MASK}_ones`, input.name, type),
  ];
}
