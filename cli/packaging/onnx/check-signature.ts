import { configError } from '#contract/errors.ts';
import type { InputName } from '#contract/manifest.ts';
import type { GraphProto, ValueInfoProto } from '#gen/onnx/v1/onnx_pb.ts';
import { isFloat, typeName } from '#core/onnx/element-types.ts';
import { type InputChoice, matchInputs, type MatchedInput, type OtherInputName } from './match-inputs.ts';
import { type OutputRequest, type OutputRules, type SelectedOutput, selectOutput } from './select-output.ts';

export interface Signature {
  readonly inputs: InputName[];
  readonly output: SelectedOutput;
}

export interface SignatureRules extends OutputRules {
  /** Inputs that only some models have. */
  readonly otherInputs?: readonly OtherInputName[];
}

export interface SignatureRequest extends OutputRequest {
  readonly rules: SignatureRules;
  /** The field `inputs` in the config file. */
  readonly inputs: InputChoice;
}

/**
 * Checks the names, types and ranks of a graph's inputs and output against the requirements of its
 * model type.
 */
export function checkSignature(
  graph: GraphProto,
  request: SignatureRequest,
): Signature & { readonly matched: readonly MatchedInput[] } {
  const weights = new Set(graph.initializer.map((tensor) => tensor.name));
  const matched = matchInputs(
    graph.input.filter((input) => !weights.has(input.name)),
    request.inputs,
    request.file,
    request.rules.otherInputs,
  );
  const output = selectOutput(graph, request);
  checkOutput(graph.output, output, request);
  return { matched, inputs: matched.map(({ name }) => name), output };
}

function checkOutput(
  outputs: readonly ValueInfoProto[],
  { name, shape }: SelectedOutput,
  { modelType, file }: OutputRequest,
): void {
  const type = outputs.find((output) => output.name === name)?.type;
  const tensor = type?.tensorType;
  if (type && !tensor) {
    throw configError(
      `${file}: output \`${name}\` is a sequence or a map, but a tensor is required. Export the model without post-processing steps such as \`zipmap\`.`,
    );
  }
  const element = tensor?.elemType ?? 0;
  if (!isFloat(element)) {
    throw configError(
      `${file}: output \`${name}\` has type ${typeName(element)}, but a floating-point type is required.`,
    );
  }
  const rank = tensor?.shape?.dim.length;
  if (rank !== undefined && rank !== shape.length) {
    throw configError(
      `Model must return tensor of shape [${shape.join(', ')}] for model_type ${modelType}; ` +
        `\`${name}\` of ${file} has ${rank} ${rank === 1 ? 'axis' : 'axes'}.`,
    );
  }
}
