import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ASSETS } from '#contract/assets.ts';
import { configError, messageOf } from '#contract/errors.ts';
import { withFileSource } from '#platform/file-source.ts';
import type { OnnxTools } from '../../adapters/onnxruntime.ts';
import { GraphFile } from '../onnx/graph-file.ts';
import { accuracyOf, reasonAgainst } from './accuracy.ts';
import { keepPositionsExact, roundFactors } from './bfloat16-products.ts';
import { writeAlone } from './candidates.ts';
import { findMatMuls } from './find-matmuls.ts';
import { preparePlainProducts, replaceProducts } from './plain-products.ts';
import {
  noMatrices,
  notAccurate,
  type QuantizationRequest,
  type QuantizedGraph,
} from './quantization-request.ts';
import { RunMeter } from './run-meter.ts';
import { Trial } from './trial.ts';
import { WeightsWriter } from './weights-file.ts';

/** Name of the file for matrices that are stored in another form. */
const MATRICES = 'matrices.bin';

/**
 * Rewrites a graph so that ONNX Runtime can compute its matrix products in bfloat16, and measures the
 * accuracy with rounded factors on this machine. Writes the graph's files to `folder`.
 */
export async function useBfloat16<Sample>(
  runtime: OnnxTools,
  request: QuantizationRequest<Sample>,
  folder: string,
): Promise<QuantizedGraph> {
  const { graphPath, weightsPath, output, compare, heldOut, thresholds } = request;
  const file = await GraphFile.read(graphPath);
  const { graph } = file.model();
  const matmuls = graph ? findMatMuls(graph) : [];
  if (!graph || matmuls.length === 0) throw noMatrices(request);
  const matricesPath = join(dirname(graphPath), MATRICES);
  const writer = new WeightsWriter(matricesPath, MATRICES);
  const products = await withFileSource(weightsPath, (weights) =>
    preparePlainProducts(graph, matmuls, weights, writer),
  );
  await writer.finish();
  const plain = await file.write('bfloat16', (model) => {
    if (!model.graph) return;
    replaceProducts(model, model.graph, products);
    keepPositionsExact(model, model.graph);
  });
  const probe = await (
    await GraphFile.read(plain.path)
  ).write('bfloat16-probe', (model) => {
    if (model.graph) roundFactors(model.graph);
  });
  const meter = new RunMeter(request.onRuns);
  meter.plan(2 * heldOut.length);
  const trial = new Trial(runtime, request.samples, meter);
  const [original, rounded] = [
    await trial.alone(graphPath, output, heldOut),
    await trial.alone(probe.path, output, heldOut).catch((error: unknown) => {
      throw configError(
        `${request.file} has products whose factors cannot be rounded to bfloat16: ${messageOf(error)} Remove \`quantize\`.`,
        error,
      );
    }),
  ];
  const accuracy = accuracyOf(
    original.map((values) => compare(values)),
    rounded.map((values) => compare(values)),
  );
  const against = reasonAgainst(accuracy, thresholds);
  if (against !== undefined) throw notAccurate(request, 'bf16', against);
  const kept = matmuls.filter(({ result }) => !products.has(result));
  await mkdir(folder);
  const sources = [
    { name: ASSETS.weights, path: weightsPath },
    { name: MATRICES, path: matricesPath },
  ];
  return {
    ...(await writeAlone(plain.path, sources, folder)),
    quantization: {
      form: 'bf16',
      products: matmuls.length,
      quantized: products.size,
      ...(kept.length === 0 ? {} : { kept: kept.map(({ weight }) => weight.name) }),
      accuracy,
    },
  };
}
