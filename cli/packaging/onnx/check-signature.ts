import { configError } from '../../../runtime/contract/errors.ts';
import { INPUT_NAMES, type InputName } from '../../../runtime/contract/manifest.ts';
import type { GraphProto, ValueInfoProto } from '../../../runtime/gen/onnx/v1/onnx_pb.ts';
import { ELEMENT_TYPES, isFloat } from './element-types.ts';
import { type OutputRequest, type SelectedOutput, selectOutput } from './select-output.ts';

export interface Signature {
  readonly inputs: InputName[];
  readonly output: SelectedOutput;
}

const INT64 = 7;

/** Checks names, types and ranks of a graph's inputs and output against the requirements of its model type. */
export function checkSignature(graph: GraphProto, request: OutputRequest): Signature {
  const { file } = request;
  const weights = new Set(graph.initializer.map((tensor) => tensor.name));
  const inputs = graph.input
    .filter((input) => !weights.has(input.name))
    .map((input) => checkInput(input, file));
  if (!inputs.includes('input_ids')) {
    const names = graph.input.map((input) => `\`${input.name}\``).join(', ') || 'none';
    throw configError(`${file} is not a text encoder: it has no input \`input_ids\` (inputs: ${names}).`);
  }
  const output = selectOutput(graph, request);
  checkOutput(graph.output, output, request);
  return { inputs, output };
}

function checkInput(input: ValueInfoProto, file: string): InputName {
  const name = INPUT_NAMES.find((known) => known === input.name);
  if (!name) {
    throw configError(
      `${file} requires the input \`${input.name}\`, which texts do not provide. A text encoder has only the inputs ${INPUT_NAMES.join(', ')}.`,
    );
  }
  const type = input.type?.tensorType?.elemType ?? 0;
  if (type !== INT64) {
    throw configError(
      `${file}: input \`${name}\` has type ${typeName(type)}, but int64 is required. Export the model again.`,
    );
  }
  return name;
}

function checkOutput(
  outputs: readonly ValueInfoProto[],
  { name, shape }: SelectedOutput,
  { modelType, file }: OutputRequest,
): void {
  const tensor = outputs.find((output) => output.name === name)?.type?.tensorType;
  const type = tensor?.elemType ?? 0;
  if (!isFloat(type)) {
    throw configError(
      `${file}: output \`${name}\` has type ${typeName(type)}, but a floating-point type is required.`,
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

const typeName = (type: number): string => ELEMENT_TYPES[type]?.name ?? `number ${type}`;
