import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fromBinary } from '@bufbuild/protobuf';
import { configError } from '#contract/errors.ts';
import type { Quantization } from '#contract/quantization.ts';
import { ModelProtoSchema } from '#gen/onnx/v1/onnx_pb.ts';
import { withOnnxRuntime } from '../../adapters/onnxruntime.ts';
import type { QuantizeSettings } from '../../config/build-config.ts';
import { readCalibrationTexts } from '../quantize/calibration-texts.ts';
import type { Compare } from '../quantize/accuracy.ts';
import { useBfloat16 } from '../quantize/bfloat16-model.ts';
import { quantizeModel } from '../quantize/quantize-model.ts';
import type { OnRuns } from '../quantize/run-meter.ts';
import { type Ids, textSamples } from '../quantize/trial.ts';
import { tryTextGraph } from './prepare-graph.ts';
import type { GraphRequest, PreparedGraph } from './prepared-graph.ts';
import type { PreparedTokenizer } from './prepare-tokenizer.ts';

/** A quantized graph, or why the model stays in float32 (with `quantize: auto`). */
type QuantizedModel =
  | { readonly graph: PreparedGraph; readonly quantization: Quantization }
  | { readonly reason: string };

/**
 * Quantizes a graph that was prepared in float32, and runs texts through the result. Writes all
 * files to `folder`.
 */
export async function quantizePrepared(
  request: GraphRequest,
  tokenizer: PreparedTokenizer,
  prepared: PreparedGraph,
  settings: QuantizeSettings & { readonly compare: Compare | undefined },
  folder: string,
  onRuns?: OnRuns,
): Promise<QuantizedModel> {
  const { file, modelType, rules } = request;
  const { form, compare, minCosine, minAgreement } = settings;
  const { graphPath, weightsPath, signature, fixedShape, firstPosition, maxLength } = prepared;
  if (!compare) throw configError(`Models of type ${modelType} cannot be quantized. Remove \`quantize\`.`);
  if (graphPath === undefined) {
    if (form === 'auto') return { reason: 'a static model has no matrix products to quantize.' };
    throw configError('A static model has no matrix products to quantize. Remove `quantize`.');
  }
  const texts = await readCalibrationTexts(settings.calibration);
  const encode = async (part: readonly string[]): Promise<Ids[]> => {
    const { truncationSide } = tokenizer.settings;
    const encoded = await tokenizer.tokenizer.encodeCut(part, maxLength, truncationSide);
    return encoded.map(({ ids }) => rules.calibrate?.(ids) ?? ids);
  };
  const [calibration, heldOut] = [await encode(texts.calibration), await encode(texts.heldOut)];
  return await withOnnxRuntime(async (runtime) => {
    const quantized = await (form === 'bf16' ? useBfloat16 : quantizeModel)(
      runtime,
      {
        graphPath,
        weightsPath,
        file,
        output: signature.output.name,
        samples: textSamples({
          folder: dirname(graphPath),
          inputs: signature.inputs,
          padId: tokenizer.settings.padId,
          fixedShape,
          firstPosition,
        }),
        compare,
        thresholds: { minCosine, minAgreement },
        isOptional: form === 'auto',
        calibration,
        heldOut,
        onRuns,
      },
      join(folder, 'quantized'),
    );
    if ('reason' in quantized) return quantized;
    const { quantization, ...files } = quantized;
    const { graph } = fromBinary(ModelProtoSchema, await readFile(files.graphPath));
    if (!graph) throw new Error('The quantized model has no graph');
    const rewritten = { ...prepared, ...files, graph };
    const tried = await tryTextGraph(runtime, request, tokenizer, rewritten, dirname(files.graphPath));
    return {
      graph: {
        ...prepared,
        ...files,
        ...tried,
        precision: quantization.form === 'int8' ? 'int8' : prepared.precision,
      },
      quantization,
    };
  });
}
