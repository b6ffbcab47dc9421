import { messageOf } from '#contract/errors.ts';
import type { ImageSize } from '#contract/image-recipe.ts';
import { type Manifest, PIXEL_INPUT } from '#contract/manifest.ts';
import { type ImageTensor, tensorMaker } from '#core/images/image-tensor.ts';
import { DEFAULT_IMAGE_LIMITS, type ImageLimits } from '#core/images/read-image-size.ts';
import { RGB } from '#core/images/rgb-image.ts';
import { imageGraph } from '#core/model/image-graph.ts';
import type { FailedInference, RawOutput } from '#core/model/raw-output.ts';
import { decodeImage } from '#platform/images/decode-image.ts';
import { wasmPasses } from '#platform/images/pixels/wasm-passes.ts';
import { OnnxTensor, type OnnxSession } from '#platform/onnx/session.ts';
import { failedInput } from './image-input.ts';
import type { RunBatchOnce } from './run-graph.ts';

/**
 * Runs batches of a model that reads images. An image that cannot be decoded has no result, and the other
 * images of the batch do.
 */
export function imageRunner(
  session: Pick<OnnxSession, 'run'>,
  manifest: Pick<Manifest, 'images' | 'output' | 'tokenizer'>,
  limits: ImageLimits = DEFAULT_IMAGE_LIMITS,
): RunBatchOnce {
  const { images } = manifest;
  if (!images) throw new Error('the model does not read images');
  const { output } = imageGraph(manifest);
  const { alpha } = images.recipe;
  const makeTensor = tensorMaker(images.recipe, wasmPasses);
  const run = (group: readonly ImageRow[]): RawOutput => {
    const pixels = new OnnxTensor('float32', stacked(group), [group.length, RGB, ...sidesOf(group)]);
    const { data, dims } = session.run({ [PIXEL_INPUT]: pixels }, output);
    return { data: data as Float32Array, dims };
  };
  return async ({ images: files = [] }) => {
    const rows: ImageRow[] = [];
    const imageSizes: (ImageSize | undefined)[] = [];
    const failed: (FailedInference | undefined)[] = [];
    for (const [row, file] of files.entries()) {
      try {
        const image = await decodeImage(file, alpha, limits);
        rows.push({ row, tensor: makeTensor(image) });
        imageSizes[row] = { height: image.height, width: image.width };
      } catch (error) {
        failed[row] = failedInput(error);
      }
    }
    const outputs: GroupOutput[] = [];
    const groups = ofEqualSize(rows);
    for (const group of groups) {
      try {
        outputs.push({ group, output: run(group) });
      } catch (error) {
        // A graph can support some sizes only. Images of other sizes still have results.
        if (groups.length === 1) throw error;
        for (const { row } of group) failed[row] = { failure: messageOf(error) };
      }
    }
    return {
      ...inOrder(outputs, files.length),
      imageSizes,
      failed: failed.length > 0 ? failed : undefined,
    };
  };
}

/** The tensor of an image, and its row in the batch. */
interface ImageRow {
  readonly row: number;
  readonly tensor: ImageTensor;
}

/**
 * Images whose tensors have the same size, which can share a run. Smaller images are not padded to the
 * size of larger ones, because padding would change their results.
 */
const ofEqualSize = (rows: readonly ImageRow[]): ImageRow[][] => [
  ...Map.groupBy(rows, ({ tensor: { height, width } }) => `${height} x ${width}`).values(),
];

const sidesOf = ([first]: readonly ImageRow[]): [number, number] => [
  first?.tensor.height ?? 0,
  first?.tensor.width ?? 0,
];

function stacked(rows: readonly ImageRow[]): Float32Array {
  const [first] = rows;
  if (first && rows.length === 1) return first.tensor.values;
  const length = first?.tensor.values.length ?? 0;
  const values = new Float32Array(rows.length * length);
  for (const [at, { tensor }] of rows.entries()) values.set(tensor.values, at * length);
  return values;
}

interface GroupOutput {
  readonly group: readonly ImageRow[];
  readonly output: RawOutput;
}

/** The outputs of all groups in the order of the batch. Rows of images without a result contain zeros. */
function inOrder(outputs: readonly GroupOutput[], count: number): RawOutput {
  const [first] = outputs;
  if (!first) return { data: new Float32Array(), dims: [count, 0] };
  if (first.group.length === count) return first.output;
  const [, ...shape] = first.output.dims;
  const length = shape.reduce((product, size) => product * size, 1);
  const data = new Float32Array(count * length);
  for (const { group, output } of outputs) {
    if (output.dims.slice(1).join() !== shape.join()) {
      throw new Error(
        `the results of images of different sizes have different shapes: ${shape.join(' x ')} and ${output.dims.slice(1).join(' x ')}`,
      );
    }
    for (const [at, { row }] of group.entries()) {
      data.set(output.data.subarray(at * length, (at + 1) * length), row * length);
    }
  }
  return { data, dims: [count, ...shape] };
}
