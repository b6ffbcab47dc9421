import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeGraph, writeImageVectors } from '#cli/packaging/architectures/write-graph.ts';
import { quantizeModel } from '#cli/packaging/quantize/quantize-model.ts';
import { imageSamples } from '#cli/packaging/quantize/trial.ts';
import { numbers, SIDE, writeRandomVit } from '../../../helpers/random-vit.ts';
import { useTempFolder } from '../../../helpers/temp-folder.ts';
import { useOnnxRuntime } from '../../../helpers/use-onnxruntime.ts';

const folder = useTempFolder();
const runtime = useOnnxRuntime();

test('the matrices of an encoder of images are quantized; its convolution stays in float32', async () => {
  const model = mkdtempSync(join(folder(), 'model-'));
  const target = mkdtempSync(join(folder(), 'graph-'));
  const { weights, config } = writeRandomVit(model);
  const written = await writeGraph(
    { weights, config },
    writeImageVectors({ height: SIDE, width: SIDE }),
    target,
  );
  const [graphPath, weightsPath] = [join(target, 'graph.onnx'), join(target, 'weights.bin')];
  await runtime().optimize({
    model: written,
    graph: graphPath,
    weights: 'weights.bin',
    integers: undefined,
  });
  const images = Array.from({ length: 24 }, (_, at) => numbers(3 * SIDE * SIDE, 100 + at, 1));
  const runs: { done: number; planned: number }[] = [];
  const quantized = await quantizeModel(
    runtime(),
    {
      graphPath,
      weightsPath,
      file: weights,
      output: 'image_embeds',
      samples: imageSamples(target, [3, SIDE, SIDE]),
      compare: (values) => ({ kind: 'vectors', rows: [values] }),
      thresholds: { minCosine: 0.99, minAgreement: 0 },
      isOptional: false,
      calibration: images.slice(0, 12),
      heldOut: images.slice(12),
      onRuns: (done, planned) => runs.push({ done, planned }),
    },
    join(target, 'quantized'),
  );
  if ('reason' in quantized) throw new Error(quantized.reason);
  const { accuracy, ...counts } = quantized.quantization;
  // Query, key, value, the layer after attention, and the two layers of the feed-forward layer.
  expect(counts).toEqual({ form: 'int8', products: 6, quantized: 6 });
  expect(accuracy.cosine?.mean).toBeGreaterThan(0.999);
  expect(accuracy.cosine?.mean).toBeLessThan(1);
  expect(accuracy.texts).toBe(12);
  // Two passes over 12 images for the scales, and the original and the quantized graph for the choice and the accuracy.
  expect(runs.at(-1)).toEqual({ done: 72, planned: 72 });
  expect(runs.every(({ done }, at) => done > (runs[at - 1]?.done ?? 0))).toBe(true);
});
