import { configError, messageOf } from '../../../runtime/contract/errors.ts';
import type { ModelType } from '../../../runtime/contract/model-types.ts';
import type { Tensor } from '../../../runtime/core/tensor/tensor.ts';
import { explainScriptError } from '../../../runtime/transform/script-error.ts';
import type { TransformScript } from '../../../runtime/transform/transform-script.ts';
import { withLua } from '../../adapters/lua.ts';
import type { PreparedGraph, SampleOutput } from './prepare-graph.ts';

/** Texts of made-up output: the shortest there is, and one of a common length. */
const MADE_UP_LENGTHS = [1, 128];

/** Runs the transform as the executable will: on the model's output for each sample text, and on made-up output. */
export async function tryTransform(
  script: TransformScript,
  modelType: ModelType,
  { sample, signature }: PreparedGraph,
  print: (line: string) => void,
): Promise<void> {
  const width = sample.dims.at(-1) ?? 0;
  const hasTokens = sample.dims.length === 3;
  const outputs = [
    ...sampleRows(sample, hasTokens),
    ...MADE_UP_LENGTHS.map((length) => random(hasTokens ? [1, length, width] : [1, width])),
  ];
  await withLua(script, print, async (run) => {
    for (const output of outputs) {
      try {
        await run({ modelType, output });
      } catch (error) {
        const { name } = signature.output;
        const where = `in a trial with ${name} of shape [${output.shape.join(', ')}]`;
        throw configError(
          `${explainScriptError(messageOf(error), script)}\n  (${where}; validate_transform: false skips the trial)`,
          error,
        );
      }
    }
  });
}

/** The output for each text by itself, without padding. */
function sampleRows({ data, dims, lengths }: SampleOutput, hasTokens: boolean): Tensor[] {
  const width = dims.at(-1) ?? 0;
  const stride = hasTokens ? (dims[1] ?? 0) * width : width;
  return lengths.map((length, row) => {
    const elements = hasTokens ? length * width : width;
    return {
      data: data.slice(row * stride, row * stride + elements),
      shape: hasTokens ? [1, length, width] : [1, width],
    };
  });
}

/** Even in [-1, 1), the same in every build. */
function random(shape: readonly number[]): Tensor {
  let state = 42;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 31 - 1;
  };
  const elements = shape.reduce((product, size) => product * size, 1);
  return { data: Float32Array.from({ length: elements }, next), shape };
}
