import { hasLabels } from '#contract/model-types.ts';
import type { ModelSourceFacts } from '#contract/manifest.ts';
import type { Quantization } from '#contract/quantization.ts';
import { batchingText } from '#core/model/batching-text.ts';
import { outputSize } from '#core/model/output-size.ts';
import { accuracyText } from '#core/model/quantization-facts.ts';
import { timeStep } from '#core/time/time-step.ts';
import { type StartedOnnxRuntime, withOnnxRuntime } from '../adapters/onnxruntime.ts';
import { ownVersion } from '../adapters/own-files.ts';
import type { BuildConfig } from '../config/build-config.ts';
import type { BuildType } from '../packaging/model/build-type.ts';
import { BUILD_TYPES } from '../packaging/model/build-types.ts';
import { checkFiniteOutput } from '../packaging/model/check-finite-output.ts';
import { attentionHeads } from '../packaging/model/model-config.ts';
import type { ModelOrigin } from '../packaging/model/model-origin.ts';
import type { GraphRequest, PreparedGraph } from '../packaging/model/prepared-graph.ts';
import type { PreparedModel } from '../packaging/model/prepared-model.ts';
import type { PreparedTokenizer } from '../packaging/model/prepare-tokenizer.ts';
import { quantizePrepared } from '../packaging/model/quantize-prepared.ts';
import { tryTransform } from '../packaging/model/try-transform.ts';
import { windowSettings } from '../packaging/model/window-settings.ts';
import { planManifest } from '../packaging/plan.ts';
import type { Compare } from '../packaging/quantize/accuracy.ts';
import type { Reporter } from '../packaging/reporter.ts';
import { loadModel } from './load-model.ts';

interface PrepareOptions {
  /** ONNX Runtime, which has been started; it is ended as soon as it is not needed. */
  readonly runtime?: StartedOnnxRuntime;
  /** Receives the path of the weights as soon as they are complete. */
  readonly onWeights?: (path: string) => void;
}

/** Checks a model and prepares it, with files in `folder`: the first part of `build`, and all of `validate`. */
export async function prepareModel(
  config: BuildConfig,
  folder: string,
  report: Reporter,
  { runtime, onWeights = () => {} }: PrepareOptions = {},
): Promise<PreparedModel> {
  const { onStep } = report;
  const { modelType } = config;
  const type: BuildType = BUILD_TYPES[modelType];
  const isFloat = config.quantize.form === 'none';
  const loaded = await withOnnxRuntime(
    (started) => loadModel(started, config, type, folder, report, isFloat ? onWeights : () => {}),
    runtime,
  );
  const { transform, files, origin, settings, tokenizer, tokenized, license, card, documents } = loaded;
  const { request, original, optimized } = loaded;
  const { inputs, output } = original.signature;
  const size = request.rules.size ?? outputSize(original);
  optimized.done(`${output.name}, ${size}, ${original.precision}; ${batchingText(original)}`);
  const finished = await tokenized.withGraph(original);

  // A transform of vectors can replace the model output, but logits are part of each result.
  if (!transform || hasLabels(modelType)) checkFiniteOutput(original, files.weights);
  if (transform && config.validateTransform) {
    const attempt = report.step('Testing the transform');
    await timeStep(onStep, 'transform', () => tryTransform(transform, modelType, original, report.print));
    attempt.done(transform.name);
  }
  finished.report?.(report);
  const { graph, quantization } = await quantizeIfWanted(
    config,
    { request, tokenizer, original },
    finished.compare,
    folder,
    report,
  );
  onWeights(graph.weightsPath);
  const { maxLength, precision, batching, changes } = graph;
  const { width, fixedShape, firstPosition } = original;
  const { truncatedText } = type;
  const manifest = planManifest(
    config,
    {
      source: sourceOf(files.graph, origin),
      inputs,
      output: output.name,
      width,
      precision,
      batching,
      fixedShape,
      firstPosition,
      quantization,
      attentionHeads: attentionHeads(settings.modelConfig),
      windows:
        finished.windows?.(maxLength) ?? (await windowSettings(config, tokenizer.tokenizer, maxLength)),
      ofType: await finished.facts(graph),
      tokenizer: { ...tokenizer.settings, maxLength, ...(truncatedText ? { truncatedText } : {}) },
      graphChanges: changes.length > 0 ? changes : undefined,
      transform,
      license,
      card,
    },
    ownVersion(),
  );
  return {
    files,
    tokenizer,
    graph,
    transform: transform?.source,
    layers: finished.layers,
    licenseText: documents.licenseText,
    cardText: documents.cardText,
    manifest,
  };
}

interface OriginalModel {
  readonly request: GraphRequest;
  readonly tokenizer: PreparedTokenizer;
  readonly original: PreparedGraph;
}

/** Quantizes a model if the config asks for it. */
async function quantizeIfWanted(
  { quantize }: BuildConfig,
  { request, tokenizer, original }: OriginalModel,
  compare: Compare | undefined,
  folder: string,
  report: Reporter,
): Promise<{ readonly graph: PreparedGraph; readonly quantization: Quantization | undefined }> {
  if (quantize.form === 'none') return { graph: original, quantization: undefined };
  const step = report.step('Quantizing the model');
  const result = await timeStep(report.onStep, 'quantize', () =>
    quantizePrepared(request, tokenizer, original, { ...quantize, compare }, folder),
  );
  if ('reason' in result) {
    step.done('not quantized');
    report.warn(`The model stays in float32: ${result.reason}`);
    return { graph: original, quantization: undefined };
  }
  step.done(accuracyText(result.quantization.accuracy));
  checkFiniteOutput(result.graph, request.file);
  return result;
}

const sourceOf = (
  graph: string | undefined,
  { repository, revision }: ModelOrigin,
): ModelSourceFacts | undefined =>
  graph === undefined
    ? undefined
    : {
        graph,
        ...(repository === undefined ? {} : { repository }),
        ...(revision === undefined ? {} : { revision }),
      };
