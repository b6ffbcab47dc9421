import { configError, messageOf } from '#contract/errors.ts';
import type { ModelType } from '#contract/model-types.ts';
import { describeShape, elementsIn } from '#core/tensor/shape.ts';
import type { Tensor } from '#core/tensor/tensor.ts';
import { checkFinite } from '#transform/check-finite.ts';
import { explainScriptError } from '#transform/script-error.ts';
import type { TransformScript } from '#transform/transform-script.ts';
import { withLua } from '../../adapters/lua.ts';
import type { PreparedGraph } from './prepared-graph.ts';

/** Lengths of texts with random output: the minimum, and a typical length. */
const MADE_UP_LENGTHS = [1, 128];

/**
 * Runs the transform as the executable will: on the model's output for each sample text, and on random output. Non-finite
 * numbers are only rejected for the model's own output, because a logarithm can fail for random values that the model never
 * returns.
 */
export async function tryTransform(
  script: TransformScript,
  modelType: ModelType,
  { samples, signature }: PreparedGraph,
  print: (line: string) => void,
): Promise<void> {
  const [, size = 0, width] = samples[0]?.shape ?? [];
  const shapes = MADE_UP_LENGTHS.map((length) => (width === undefined ? [1, size] : [1, length, width]));
  const madeUp = shapes.map(random);
  await withLua(script, print, async (run) => {
    for (const output of [...samples, ...madeUp]) {
      try {
        const result = await run({ modelType, output });
        if (!madeUp.includes(output)) checkFinite(result, script);
      } catch (error) {
        const { name } = signature.output;
        const where = `in a trial run with ${name} of shape ${describeShape(output.shape)}`;
        throw configError(
          `${explainScriptError(messageOf(error), script)}\n  (${where}; set validate_transform: false to skip trial runs)`,
          error,
        );
      }
    }
  });
}

/** Values evenly distributed in [-1, 1), the same in every build. */
function random(shape: readonly number[]): Tensor {
  let state = 42;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 31 - 1;
  };
  return { data: Float32Array.from({ length: elementsIn(shape) }, next), shape };
}
