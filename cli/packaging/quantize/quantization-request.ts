import { type AppError, configError } from '#contract/errors.ts';
import type { Quantization } from '#contract/quantization.ts';
import type { Compare, Thresholds } from './accuracy.ts';
import type { OnRuns } from './run-meter.ts';
import type { Samples } from './trial.ts';

export interface QuantizationRequest<Sample> {
  /** Path of the float32 graph. Its weights are in the same folder. */
  readonly graphPath: string;
  readonly weightsPath: string;
  /** The model file, for messages. */
  readonly file: string;
  readonly output: string;
  readonly samples: Samples<Sample>;
  readonly compare: Compare;
  readonly thresholds: Thresholds;
  /**
   * If the int8 form is not accurate enough or not faster: whether the model stays in float32
   * instead of failing the build.
   */
  readonly isOptional: boolean;
  /** The samples for computing scales, and those for measuring accuracy. */
  readonly calibration: readonly Sample[];
  readonly heldOut: readonly Sample[];
  readonly onRuns?: OnRuns | undefined;
}

export interface QuantizedGraph {
  readonly graphPath: string;
  readonly weightsPath: string;
  readonly quantization: Quantization;
}

/** What a graph that cannot be quantized has. */
export const NO_MATRICES = 'no float32 matrices that can be quantized';

/** The error for a graph without matrices, if the model must be quantized. */
export const noMatrices = ({ file }: { readonly file: string }): AppError =>
  configError(`${file} has ${NO_MATRICES}. Use the float32 graph of the model, or remove \`quantize\`.`);

/** The error for a form of a model whose results differ too much from those in float32. */
export const notAccurate = (
  { file, samples }: { readonly file: string; readonly samples: Pick<Samples<never>, 'ownSamples'> },
  form: Quantization['form'],
  reason: string,
): AppError =>
  configError(
    `The ${form} version of ${file} is not accurate enough: ${reason}. Lower the threshold, set \`calibration\` to ${samples.ownSamples}, or remove \`quantize\`.`,
  );
