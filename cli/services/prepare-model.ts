import { timeStep } from '#core/time/time-step.ts';
import { type StartedOnnxRuntime, withOnnxRuntime } from '../adapters/onnxruntime.ts';
import { ownVersion } from '../adapters/own-files.ts';
import { hasLabels } from '#contract/model-types.ts';
import { attentionHeads } from '../packaging/model/attention-heads.ts';
import { checkExpansion } from '../packaging/model/check-expansion.ts';
import { checkFiniteOutput } from '../packaging/model/check-finite-output.ts';
import { entityWindows } from '../packaging/model/entity-windows.ts';
import { readLabels, scoreFunctionOf } from '../packaging/model/labels.ts';
import { readLayerWeights } from '../packaging/model/layer-weights.ts';
import type { ModelOrigin } from '../packaging/model/model-origin.ts';
import { reportPooling } from '../packaging/model/sentence-family.ts';
import { specialIds } from '../packaging/model/special-ids.ts';
import { unused } from '../packaging/model/token-outputs-source.ts';
import type { PreparedModel } from '../packaging/model/prepared-model.ts';
import { layersOf, sentenceSettings } from '../packaging/model/sentence-settings.ts';
import { multiVectorSettings } from '../packaging/model/multi-vector-settings.ts';
import { windowSettings } from '../packaging/model/window-settings.ts';
import { tryTransform } from '../packaging/model/try-transform.ts';
import { outputSize } from '#core/model/output-size.ts';
import { batchingText } from '#core/model/batching-text.ts';
import { planManifest } from '../packaging/plan.ts';
import type { ModelSourceFacts } from '#contract/manifest.ts';
import type { Reporter } from '../packaging/reporter.ts';
import type { BuildConfig } from '../config/build-config.ts';
import { loadModel } from './load-model.ts';
import { quantizeIfWanted } from './quantize-if-wanted.ts';

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
  const isFloat = config.quantize.form === 'none';
  const loaded = await withOnnxRuntime(
    (started) => loadModel(started, config, folder, report, isFloat ? onWeights : () => {}),
    runtime,
  );
  const { transform, files, origin, sources, tokenizer, mask, license, card, documents } = loaded;
  const { request, original, optimized } = loaded;
  const { modelConfig, gliner, sentence, pooling, sparse, tokenOutputs, vectorsByToken } = sources;
  const id2label = readLabels(
    modelConfig,
    config.modelType,
    original.width,
    files.modelConfig ?? files.folder,
  );
  const { inputs, output } = original.signature;
  const size = outputSize({ width: original.width, ...(gliner ? { entities: gliner.settings } : {}) });
  optimized.done(`${output.name}, ${size}, ${original.precision}; ${batchingText(original)}`);

  // A transform of vectors can replace the model output, but logits are part of each result.
  if (!transform || hasLabels(config.modelType)) checkFiniteOutput(original, files.weights);
  if (transform && config.validateTransform) {
    const attempt = report.step('Testing the transform');
    await timeStep(onStep, 'transform', () =>
      tryTransform(transform, config.modelType, original, report.print),
    );
    attempt.done(transform.name);
  }

  if (tokenOutputs.heads && !original.tokenOutputs)
    report.warn(unused(`\`${output.name}\` of ${files.weights} has one vector per text`));
  const { width, fixedShape, firstPosition } = original;
  const scoreFunction = scoreFunctionOf(modelConfig, config.modelType, width);
  const vectors = sentence && (await sentenceSettings(sentence, { ...output, width }, tokenizer));
  const layers =
    sentence && vectors?.layers
      ? await readLayerWeights(files.folder, layersOf(sentence, output.shape))
      : undefined;
  const multiVector =
    vectorsByToken &&
    (await multiVectorSettings(vectorsByToken, tokenizer, { maxLength: original.maxLength, inputs }));
  if (multiVector) checkExpansion(multiVector, modelConfig, files.weights);
  if (sentence && vectors && pooling) reportPooling(vectors, sentence, pooling, report);
  const { graph, quantization } = await quantizeIfWanted(
    config,
    { request, tokenizer, original },
    { modelType: config.modelType, width, pooling: vectors?.pooling, scoreFunction },
    folder,
    report,
  );
  onWeights(graph.weightsPath);
  const { precision, batching } = graph;
  const facts = {
    source: sourceOf(files.graph, origin),
    inputs,
    output: output.name,
    sentence: vectors,
    sparse: sparse && { ...sparse.settings, ...(graph.pools ? {} : { pooling: 'none' as const }) },
    multiVector,
    tokenOutputs: graph.tokenOutputs && {
      ...graph.tokenOutputs,
      sparse: {
        ...graph.tokenOutputs.sparse,
        skipped: await specialIds(files, tokenizer.tokenizer),
      },
    },
    mask,
    width,
    precision,
    batching,
    fixedShape,
    firstPosition,
    quantization,
    attentionHeads: attentionHeads(modelConfig),
    windows: gliner
      ? entityWindows(config, gliner.settings)
      : await windowSettings(config, tokenizer.tokenizer, graph.maxLength),
    entities: gliner?.settings,
    id2label,
    scoreFunction,
    tokenizer: {
      ...tokenizer.settings,
      maxLength: graph.maxLength,
      // The sentence about a label, and a question, must be read as a whole.
      ...(config.modelType === 'zero_shot_classification' ? { truncatedText: 'first' as const } : {}),
      ...(config.modelType === 'question_answering' ? { truncatedText: 'second' as const } : {}),
    },
    graphChanges: graph.changes.length > 0 ? graph.changes : undefined,
    transform,
    license,
    card,
  };
  return {
    files,
    tokenizer,
    graph,
    transform: transform?.source,
    layers,
    licenseText: documents.licenseText,
    cardText: documents.cardText,
    manifest: planManifest(config, facts, ownVersion()),
  };
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
