import type { ImageModelType } from '#contract/model-types.ts';
import type { ImageSize } from '#contract/image-recipe.ts';
import type { ImageSettings } from '#contract/image-settings.ts';
import type { TypeFacts } from '#contract/manifest.ts';
import type { GraphProto } from '#gen/onnx/v1/onnx_pb.ts';
import type { BuildConfig } from '../../config/build-config.ts';
import type { WriteOutput } from '../architectures/write-graph.ts';
import type { GuessedType } from '../model/build-type.ts';
import type { FoundFiles } from '../model/locate-files.ts';
import type { ModelConfig } from '../model/model-config.ts';
import type { SelectedOutput } from '../onnx/select-output.ts';
import type { PreparedImageGraph } from './prepare-image-graph.ts';
import type { ImageProcessor } from './read-processor.ts';
import type { Compare } from '../quantize/accuracy.ts';

/** The build rules of a model type that reads images. */
export interface ImageBuildType<Type extends ImageModelType = ImageModelType> extends GuessedType {
  /** Whether images can have different sizes when the model reads them, so that their results are independent of it. */
  readonly readsAnySize?: true;
  /** Writes the encoder and head for images of this size, or of any size, if the build writes the graph. */
  readonly write: (model: ReadImageModel, size: ImageSize | undefined) => WriteOutput;
  /** Changes an exported graph so that it has one of the outputs. `file` is the model file, for messages. */
  readonly adaptGraph?: (graph: GraphProto, file: string) => void;
  /** The names of the output in exported graphs, in order of preference, with their axes. */
  readonly outputs: (model: ReadImageModel) => readonly SelectedOutput[];
  /** Converts the output for an image to the form that is compared after quantization. Undefined: the type cannot be quantized. */
  readonly compare?: (model: PreparedImageGraph & ReadImageModel) => Compare;
  /** Returns the manifest members that only this type has. */
  readonly facts: (model: PreparedImageGraph & ReadImageModel) => TypeFacts<Type>;
}

/** A model whose settings have been read. */
export interface ReadImageModel {
  readonly config: BuildConfig;
  readonly files: FoundFiles;
  readonly modelConfig: ModelConfig;
  readonly images: ImageSettings;
  readonly processor: ImageProcessor;
}
