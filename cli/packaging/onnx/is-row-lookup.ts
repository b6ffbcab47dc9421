import type { NodeProto } from '#gen/onnx/v1/onnx_pb.ts';

/** Whether a node looks rows up: along the first axis, which is the default. */
export const isRowLookup = ({ opType, attribute }: NodeProto): boolean =>
  opType === 'Gather' && attribute.every(({ name, i }) => name !== 'axis' || i === 0n);
