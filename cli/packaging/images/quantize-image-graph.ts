import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fromBinary } from '@bufbuild/protobuf';
import type { ImageRecipe } from '#contract/image-recipe.ts';
import type { Quantization } from '#contract/quantization.ts';
import { ModelProtoSchema } from '#gen/onnx/v1/onnx_pb.ts';
import { withOnnxRuntime } from '../../adapters/onnxruntime.ts';
import type { QuantizeSettings } from '../../config/build-config.ts';
import type { Compare } from '../quantize/accuracy.ts';
import { useBfloat16 } from '../quantize/bfloat16-model.ts';
import { readCalibrationImages } from '../quantize/calibration-images.ts';
import { quantizeModel } from '../quantize/quantize-model.ts';
import type { OnRuns } from '../quantize/run-meter.ts';
import { imageSamples } from '../quantize/trial.ts';
import { type RunImageGraph, tensorShape, tryImageGraph } from './prepare-image-graph.ts';

interface ImageQuantization {
  /** The model file, for messages. */
  readonly file: string;
  readonly recipe: ImageRecipe;
  readonly compare: Compare;
  readonly settings: QuantizeSettings;
}

/** A quantized graph, or why the model stays in float32 (with `quantize: auto`). */
type QuantizedImageGraph =
  | { readonly graph: RunImageGraph; readonly quantization: Quantization }
  | { readonly reason: string };

/** Quantizes a graph that was prepared in float32, and runs images through the result. Writes all files to `folder`. */
export async function quantizeImageGraph(
  prepared: RunImageGraph,
  { file, recipe, compare, settings }: ImageQuantization,
  folder: string,
  onRuns?: OnRuns,
): Promise<QuantizedImageGraph> {
  const { graphPath, weightsPath, output, precision } = prepared;
  const { form, minCosine, minAgreement } = settings;
  const { size } = recipe;
  if (!size) throw new Error('models that read images of any size cannot be quantized');
  const images = await readCalibrationImages(settings.calibration, { ...recipe, size });
  return await withOnnxRuntime(async (runtime) => {
    const quantized = await (form === 'bf16' ? useBfloat16 : quantizeModel)(
      runtime,
      {
        graphPath,
        weightsPath,
        file,
        output: output.name,
        samples: imageSamples(dirname(graphPath), tensorShape(size)),
        compare,
        thresholds: { minCosine, minAgreement },
        isOptional: form === 'auto',
        ...images,
        onRuns,
      },
      join(folder, 'quantized'),
    );
    if ('reason' in quantized) return quantized;
    const { quantization, ...files } = quantized;
    const { graph } = fromBinary(ModelProtoSchema, await readFile(files.graphPath));
    if (!graph) throw new Error('The quantized model has no graph');
    const tried = await tryImageGraph(
      runtime,
      { file, recipe, output },
      { graphPath: files.graphPath, graph },
    );
    return {
      graph: {
        ...prepared,
        ...files,
        ...tried,
        precision: quantization.form === 'int8' ? 'int8' : precision,
      },
      quantization,
    };
  });
}
