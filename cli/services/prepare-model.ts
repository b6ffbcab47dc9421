import { configError } from '#contract/errors.ts';
import { hasLabels, readsImages, readsTextsAndImages, type TextModelType } from '#contract/model-types.ts';
import type { StaticForm, TypeFacts } from '#contract/manifest.ts';
import type { Quantization } from '#contract/quantization.ts';
import { batchingText, outputSize, accuracyText, distilledText } from '#core/model/manifest-facts.ts';
import { timeStep } from '#core/time/time-step.ts';
import { type StartedOnnxRuntime, withOnnxRuntime, type OnnxTools } from '../adapters/onnxruntime.ts';
import { ownVersion } from '../adapters/own-files.ts';
import type { BuildConfig } from '../config/build-config.ts';
import type { BuildType, TokenizedModel } from '../packaging/model/build-type.ts';
import { BUILD_TYPES } from '../packaging/model/build-types.ts';
import { checkFiniteOutput, prepareGraph } from '../packaging/model/prepare-graph.ts';
import { attentionHeads } from '../packaging/model/model-config.ts';
import { type ModelOrigin, statedIn, modelOrigin } from '../packaging/model/model-listing.ts';
import type { GraphRequest, PreparedGraph, PreparedModel } from '../packaging/model/prepared-graph.ts';
import {
  type PreparedTokenizer,
  prepareTokenizer,
  ineffectiveOptions,
} from '../packaging/model/prepare-tokenizer.ts';
import { quantizePrepared } from '../packaging/model/quantize-prepared.ts';
import { tryTransform, prepareTransform } from '../packaging/model/try-transform.ts';
import { windowSettings } from '../packaging/model/window-settings.ts';
import { planManifest } from '../packaging/plan.ts';
import type { Compare } from '../packaging/quantize/accuracy.ts';
import type { Reporter } from '../packaging/reporter.ts';
import { distill, type Distilled } from '../packaging/tables/distill.ts';
import { prepareTable } from '../packaging/tables/prepare-table.ts';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isStoredWeights } from '../packaging/architectures/weight-files.ts';
import { writeGraph } from '../packaging/architectures/write-graph.ts';
import type { RunImageGraph } from '../packaging/images/prepare-image-graph.ts';
import { appendWeights } from '../packaging/onnx/append-weights.ts';
import { exportFacts } from '../packaging/exports/model-kind.ts';
import { withExportWay } from '../packaging/exports/needs-export.ts';
import { sourceOf } from './source-of.ts';
import { findLicense, readDocuments } from '../packaging/model/model-documents.ts';
import { locateModelFiles, type ModelFiles } from '../packaging/model/locate-files.ts';
import { type OptimizedGraph, optimizeGraph } from '../packaging/model/optimize-graph.ts';

interface PrepareOptions {
  /** An ONNX Runtime process that has been started. It is terminated as soon as it is no longer needed. */
  readonly runtime?: StartedOnnxRuntime | undefined;
  /** Receives the path of the weights as soon as they are complete. */
  readonly onWeights?: (path: string) => void;
}

/**
 * Checks and prepares a model, and writes intermediate files to `folder`. This is the first part of
 * `build`, and all of `validate`.
 */
export async function prepareModel(
  config: BuildConfig,
  folder: string,
  report: Reporter,
  { runtime, onWeights = () => {} }: PrepareOptions = {},
): Promise<PreparedModel> {
  const { modelType } = config;
  if (!readsImages(modelType))
    return await prepareTextModel({ ...config, modelType }, folder, report, { runtime, onWeights });
  const { prepareImageModel } = await import('./prepare-image-model.ts');
  const prepared = await prepareImageModel({ ...config, modelType }, folder, report, runtime);
  onWeights(prepared.graph.weightsPath);
  return prepared;
}

type TextConfig = BuildConfig & { readonly modelType: TextModelType };

async function prepareTextModel(
  config: TextConfig,
  folder: string,
  report: Reporter,
  { runtime, onWeights = () => {} }: PrepareOptions,
): Promise<PreparedModel> {
  const { onStep } = report;
  const { modelType } = config;
  const type: BuildType = BUILD_TYPES[modelType];
  // The weights are complete when the graph has been optimized, unless the build changes them or adds others.
  const isFloat =
    config.quantize.form === 'none' && config.distill.form !== 'static' && !readsTextsAndImages(modelType);
  const loaded = await withOnnxRuntime(
    (started) => loadModel(started, config, type, folder, report, isFloat ? onWeights : () => {}),
    runtime,
  );
  const { transform, files, origin, settings, tokenizer, tokenized, license, card, documents } = loaded;
  const { request, original, imageGraph, optimized } = loaded;
  const { output } = original.signature;
  const size = request.rules.size ?? outputSize(original);
  optimized.done(`${output.name}, ${size}, ${original.precision}; ${batchingText(original)}`);
  const finished = await tokenized.withGraph(original, imageGraph);

  // The model's output is checked even if there is a transform that returns scores, because logits
  // are part of every result. A transform that returns vectors can replace the output.
  if (!transform || hasLabels(modelType)) checkFiniteOutput(original, files.weights);
  if (transform && config.validateTransform) {
    const attempt = report.step('Testing the transform');
    await timeStep(onStep, 'transform', () => tryTransform(transform, modelType, original, report.print));
    attempt.done(transform.name);
  }
  finished.report?.(report);
  const prepared = { request, tokenizer, original };
  const distilled = await distillIfWanted(config, prepared, finished.compare, report);
  const alone = config.distill.form === 'static' ? distilled : undefined;
  const { graph, quantization } = alone
    ? { graph: alone.graph, quantization: undefined }
    : await quantizeIfWanted(config, prepared, finished.compare, folder, report);
  if (imageGraph) await appendWeights(graph.weightsPath, imageGraph);
  onWeights(graph.weightsPath);
  const { maxLength, precision, batching, changes, width, fixedShape, firstPosition } = graph;
  const { inputs: finalInputs, output: finalOutput } = graph.signature;
  const { tokenizer: finalTokenizer = tokenizer } = alone ?? {};
  const { truncatedText } = type;
  const manifest = planManifest(
    config,
    {
      source: sourceOf(files.graph, origin),
      inputs: finalInputs,
      output: finalOutput.name,
      width,
      precision,
      batching: imageGraph?.batching === 'single' ? 'single' : batching,
      fixedShape,
      firstPosition,
      quantization,
      attentionHeads: attentionHeads(settings.modelConfig),
      windows:
        finished.windows?.(maxLength) ?? (await windowSettings(config, tokenizer.tokenizer, maxLength)),
      ofType: alone
        ? { modelType: 'sentence_embedding', sentence: alone.sentence }
        : withStaticForm(await finished.facts(graph), distilled),
      tokenizer: { ...finalTokenizer.settings, maxLength, ...(truncatedText ? { truncatedText } : {}) },
      graphChanges: changes.length > 0 ? changes : undefined,
      transform,
      license,
      card,
    },
    ownVersion(),
  );
  return {
    files,
    tokenizer: finalTokenizer,
    graph,
    transform: transform?.source,
    layers: alone ? undefined : finished.layers,
    labelTokenizer: finished.labelTokenizer,
    imageGraphPath: imageGraph?.graphPath,
    staticTable: alone ? undefined : distilled?.graph.weightsPath,
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

/** Makes the static form of a model if the config requests it. */
async function distillIfWanted(
  { file, modelType, distill: settings, quantize, transform }: BuildConfig,
  { tokenizer, original }: OriginalModel,
  compare: Compare | undefined,
  report: Reporter,
): Promise<Distilled | undefined> {
  if (settings.form === 'none') return undefined;
  if (modelType !== 'sentence_embedding' || !compare || original.table || transform) {
    throw configError(
      `${file}: \`distill: ${settings.form}\` makes a static form of a sentence encoder, so it requires a model of type sentence_embedding with an encoder and without a \`transform\`. Remove \`distill\`.`,
    );
  }
  if (settings.form === 'static' && quantize.form !== 'none') {
    throw configError(
      `${file}: \`distill: static\` and \`quantize\` cannot be combined, because a static form has no matrix products. Remove one of them, or set \`distill: both\`.`,
    );
  }
  const step = report.step('Making the static form');
  const distilled = await timeStep(report.onStep, 'distill', () =>
    withOnnxRuntime((runtime) =>
      distill(
        runtime,
        { graph: original, tokenizer, compare },
        { ...settings, calibration: quantize.calibration },
        dirname(original.graphPath ?? ''),
        (done, total) => step.progress(done, total, 'tokens'),
      ),
    ),
  );
  step.done(distilledText(distilled.sentence.table, distilled.graph.width));
  return distilled;
}

/** Adds the static form to the facts about a model that stays in the file. */
function withStaticForm(facts: TypeFacts, distilled: Distilled | undefined): TypeFacts {
  if (!distilled || facts.modelType !== 'sentence_embedding') return facts;
  const { graph, tokenizer, sentence } = distilled;
  const { signature, width, precision, maxLength } = graph;
  const staticForm: StaticForm = {
    inputs: signature.inputs,
    output: signature.output.name,
    width,
    precision,
    tokenizer: { ...tokenizer.settings, maxLength },
    sentence,
  };
  return { ...facts, staticForm };
}

/** Quantizes a model if the config requests it. */
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
    quantizePrepared(request, tokenizer, original, { ...quantize, compare }, folder, (done, planned) =>
      step.progress(done, planned, 'runs'),
    ),
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

/**
 * Reads a model's files and prepares its graph. While ONNX Runtime starts and optimizes the graph,
 * this process reads the tokenizer. Problems with files other than the graph are reported first.
 * `onWeights` receives the path of the optimized weights.
 */
async function loadModel(
  runtime: OnnxTools,
  config: TextConfig,
  type: BuildType,
  folder: string,
  report: Reporter,
  onWeights: (path: string) => void,
) {
  const { onStep } = report;
  const check = report.step('Checking the model files');
  const transform = await prepareTransform(config);
  const files = locateModelFiles(config.model, type.settingsFile);
  const origin = modelOrigin(config.model.kind === 'folder' ? config.model.folder : files.folder);
  const optimize = async (graph: string): Promise<OptimizedGraph> => {
    const { keepsIntegers } = config;
    const request = { file: files.weights, graph, keepsIntegers };
    const optimized = await timeStep(onStep, 'optimize', () => optimizeGraph(runtime, request, folder));
    onWeights(optimized.weightsPath);
    return optimized;
  };
  if (files.isTable) refuseForTable(config);
  const optimizing = isStoredWeights(files.weights) ? undefined : optimize(files.weights);
  optimizing?.catch(() => {});
  const read = await timeStep(onStep, 'check', () => readFiles(config, type, files, origin));
  const { settings, tokenizer, tokenized, documents } = read;
  check.done(`${tokenizer.tokenizer.vocabularySize} tokens, maximum length ${tokenizer.settings.maxLength}`);
  for (const problem of [
    ...ineffectiveOptions(config.tokenizer),
    ...(settings.problems ?? []),
    ...documents.problems,
  ])
    report.warn(problem);
  const optimized = report.step(
    files.isTable ? 'Reading the table of vectors' : 'Optimizing and running the model',
  );
  const request: GraphRequest = {
    modelType: config.modelType,
    rules: tokenized.rules,
    output: config.output,
    inputs: config.inputs,
    isLengthChosen: config.maxLength !== undefined,
    family: settings.modelConfig.model_type,
    keepsIntegers: config.keepsIntegers,
    file: files.weights,
    graph: files.isTable ? files.weights : await graphOf(files, origin, tokenized, folder),
  };
  const original = files.isTable
    ? await prepareTable(files.weights, tokenizer, folder)
    : await prepareGraph(runtime, request, tokenizer, optimizing ?? optimize(request.graph), folder, onStep);
  const imageGraph = await prepareImageEncoder(runtime, tokenized, folder);
  return { ...read, transform, files, origin, request, original, imageGraph, optimized };
}

/** Prepares the encoder of images of a model that has one, in a folder of its own. */
async function prepareImageEncoder(
  runtime: OnnxTools,
  { imageEncoder }: Pick<TokenizedModel, 'imageEncoder'>,
  folder: string,
): Promise<RunImageGraph | undefined> {
  if (!imageEncoder) return undefined;
  const own = join(folder, 'images');
  await mkdir(own);
  return await imageEncoder(runtime, own);
}

/** Rejects settings that need a graph. */
function refuseForTable({ file, modelType, transform }: BuildConfig): void {
  if (modelType !== 'sentence_embedding') {
    throw configError(
      `${file}: the model_type of a static model, which has one vector per token and no encoder, must be sentence_embedding, not ${modelType}.`,
    );
  }
  if (transform !== undefined) {
    throw configError(
      `${file}: a static model cannot have a \`transform\`, because it has no encoder whose output it could read. Remove \`transform\`.`,
    );
  }
}

/** Reads everything except the graph. */
async function readFiles(
  config: BuildConfig,
  type: BuildType,
  files: ModelFiles,
  { repository, name }: ModelOrigin,
) {
  const settings = await type.read({ config, files, name: repository ?? name });
  const tokenizer = await prepareTokenizer(files, settings.modelConfig, {
    ...settings.tokenizer,
    chosenLength: config.maxLength,
    truncationSide: config.tokenizer.truncation_side,
  });
  const tokenized = await settings.withTokenizer(tokenizer);
  const {
    license,
    facts: card,
    ...documents
  } = findLicense(config.license, await readDocuments(files.folder));
  return { settings, tokenizer, tokenized, license, card, documents };
}

/**
 * Returns the path of the model's ONNX graph. If the model only has safetensors, the graph is first
 * written to `folder`.
 */
async function graphOf(
  files: ModelFiles,
  { repository }: ModelOrigin,
  { write, encoder }: Pick<TokenizedModel, 'write' | 'encoder'>,
  folder: string,
): Promise<string> {
  const { weights, modelConfig } = files;
  if (!isStoredWeights(weights) || modelConfig === undefined) return weights;
  const written = join(folder, 'written');
  await mkdir(written);
  try {
    return await writeGraph({ weights, config: modelConfig, encoder }, write, written);
  } catch (error) {
    const { config, modules } = statedIn(files.folder);
    const source = { source: repository ?? files.folder, isOnHub: repository !== undefined };
    throw withExportWay(error, exportFacts(config, modules), source);
  }
}
