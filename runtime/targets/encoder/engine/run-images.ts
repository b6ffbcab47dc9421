import { type Manifest, PIXEL_INPUT } from '#contract/manifest.ts';
import { tensorMaker } from '#core/images/image-tensor.ts';
import { DEFAULT_IMAGE_LIMITS, type ImageLimits } from '#core/images/read-image-size.ts';
import { RGB } from '#core/images/rgb-image.ts';
import { imageGraph } from '#core/model/image-graph.ts';
import type { FailedInference } from '#core/model/raw-output.ts';
import { decodeImage } from '#platform/images/decode-image.ts';
import { OnnxTensor, type OnnxSession } from '#platform/onnx/session.ts';
import { failedInput } from './image-input.ts';
import type { RunBatchOnce } from './run-graph.ts';

/**
 * Runs batches of a model that reads images. An image that cannot be decoded has no result, and the other
 * images of the batch do.
 */
export function imageRunner(
  session: OnnxSession,
  manifest: Manifest,
  limits: ImageLimits = DEFAULT_IMAGE_LIMITS,
): RunBatchOnce {
  const { images } = manifest;
  if (!images) throw new Error('the model does not read images');
  const { output } = imageGraph(manifest);
  const { alpha, size } = images.recipe;
  const length = RGB * size.height * size.width;
  const makeTensor = tensorMaker(images.recipe);
  return async ({ images: files = [] }) => {
    const values = new Float32Array(files.length * length);
    const failed: (FailedInference | undefined)[] = [];
    for (const [row, file] of files.entries()) {
      try {
        values.set(makeTensor(await decodeImage(file, alpha, limits)).values, row * length);
      } catch (error) {
        failed[row] = failedInput(error);
      }
    }
    const pixels = new OnnxTensor('float32', values, [files.length, RGB, size.height, size.width]);
    const { data, dims } = session.run({ [PIXEL_INPUT]: pixels }, output);
    return { data: data as Float32Array, dims, failed: failed.length > 0 ? failed : undefined };
  };
}
