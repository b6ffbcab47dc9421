import type { InputName } from '#contract/manifest.ts';
import type { ValueInfoProto } from '#gen/onnx/v1/onnx_pb.ts';

/** An input of the graph and what to feed it with. */
export interface MatchedInput {
  readonly name: InputName;
  readonly value: ValueInfoProto;
}
