import { configError, messageOf } from '../../../runtime/contract/errors.ts';
import type { ModelType } from '../../../runtime/contract/model-types.ts';
import { rowOf, shapeOfRow } from '../../../runtime/core/raw-output.ts';
import { describeShape, elementsIn } from '../../../runtime/core/tensor/shape.ts';
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
  const madeUp = MADE_UP_LENGTHS.map((length) => random(shapeOfRow(sample, length)));
  const outputs = [...sampleRows(sample), ...madeUp];
  await withLua(script, print, async (run) => {
    for (const output of outputs) {
      try {
        await run({ modelType, output });
      } catch (error) {
        const { name } = signature.output;
        const where = `in a trial with ${name} of shape ${describeShape(output.shape)}`;
        throw configError(
          `${explainScriptError(messageOf(error), script)}\n  (${where}; validate_transform: false skips the trial)`,
          error,
        );
      }
    }
  });
}

/** The output for each text by itself, without padding. */
const sampleRows = (sample: SampleOutput): Tensor[] =>
  sample.lengths.map((length, row) => ({
    data: rowOf(sample, row, length),
    shape: shapeOfRow(sample, length),
  }));

/** Even in [-1, 1), the same in every build. */
function random(shape: readonly number[]): Tensor {
  let state = 42;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 31 - 1;
  };
  return { data: Float32Array.from({ length: elementsIn(shape) }, next), shape };
}
