import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { timeStep } from '#core/time/time-step.ts';
import type { OnnxRuntime } from '../adapters/onnxruntime.ts';
import type { BuildConfig } from '../config/build-config.ts';
import { isSafetensors } from '../packaging/architectures/safetensors-files.ts';
import { type GraphPurpose, writeGraph } from '../packaging/architectures/write-graph.ts';
import { exportFacts } from '../packaging/exports/model-kind.ts';
import { withExportWay } from '../packaging/exports/needs-export.ts';
import { entityWindows } from '../packaging/model/entity-windows.ts';
import { findLicense } from '../packaging/model/find-license.ts';
import { locateModelFiles, type ModelFiles } from '../packaging/model/locate-files.ts';
import { findMaskToken } from '../packaging/model/mask-token.ts';
import { readDocuments } from '../packaging/model/model-documents.ts';
import { statedIn } from '../packaging/model/model-listing.ts';
import { type ModelOrigin, modelOrigin } from '../packaging/model/model-origin.ts';
import { longestText, type MultiVectorSource } from '../packaging/model/multi-vector-settings.ts';
import { type OptimizedGraph, optimizeGraph } from '../packaging/model/optimize-graph.ts';
import { prepareGraph } from '../packaging/model/prepare-graph.ts';
import { type PreparedTokenizer, prepareTokenizer } from '../packaging/model/prepare-tokenizer.ts';
import { prepareTransform } from '../packaging/model/prepare-transform.ts';
import { readProjection } from '../packaging/model/projection.ts';
import type { GraphRequest } from '../packaging/model/rewrite-graph.ts';
import { vectorsOf } from '../packaging/model/sentence-settings.ts';
import { ineffectiveOptions } from '../packaging/model/tokenizer-options.ts';
import { readTypeSources } from '../packaging/model/type-sources.ts';
import type { Reporter } from '../packaging/reporter.ts';

/**
 * Reads the files of a model and prepares its graph. ONNX Runtime starts, and optimizes the graph, while this process reads the
 * tokenizer; problems of the other files are reported first. `onWeights` receives the path of the optimized weights.
 */
export async function loadModel(
  runtime: OnnxRuntime,
  config: BuildConfig,
  folder: string,
  report: Reporter,
  onWeights: (path: string) => void,
) {
  const { onStep } = report;
  const check = report.step('Checking the model files');
  const transform = await prepareTransform(config);
  const files = locateModelFiles(config.model, config.modelType);
  const origin = modelOrigin(config.model.kind === 'folder' ? config.model.folder : files.folder);
  const optimize = async (graph: string): Promise<OptimizedGraph> => {
    const { keepsIntegers } = config;
    const request = { file: files.weights, graph, keepsIntegers };
    const optimized = await timeStep(onStep, 'optimize', () => optimizeGraph(runtime, request, folder));
    onWeights(optimized.weightsPath);
    return optimized;
  };
  const optimizing = isSafetensors(files.weights) ? undefined : optimize(files.weights);
  optimizing?.catch(() => {});
  const read = await timeStep(onStep, 'check', () => readFiles(config, files, origin));
  const { sources, tokenizer, mask, documents } = read;
  const { modelConfig, gliner, sentence, sparse, tokenOutputs, vectorsByToken } = sources;
  check.done(`${tokenizer.tokenizer.vocabularySize} tokens, maximum length ${tokenizer.settings.maxLength}`);
  for (const problem of [
    ...ineffectiveOptions(config.tokenizer),
    ...(sparse?.problems ?? []),
    ...tokenOutputs.problems,
    ...documents.problems,
  ])
    report.warn(problem);
  const optimized = report.step('Optimizing and running the model');
  const request: GraphRequest = {
    modelType: config.modelType,
    vectorsOf: sentence ? vectorsOf(sentence) : [],
    output: config.output,
    inputs: config.inputs,
    entities: gliner && {
      settings: gliner.settings,
      windows: entityWindows(config, gliner.settings),
    },
    isLengthChosen: config.maxLength !== undefined,
    family: modelConfig.model_type,
    keepsIntegers: config.keepsIntegers,
    sparse: sparse?.settings,
    projection: vectorsByToken && (await readProjection(files)),
    maskId: mask?.id,
    tokenOutputs: tokenOutputs.areKept ? { heads: tokenOutputs.heads } : undefined,
    file: files.weights,
    graph: await graphOf(files, origin, { modelType: config.modelType, maskId: mask?.id }, folder),
  };
  const original = await prepareGraph(
    runtime,
    request,
    tokenizer,
    optimizing ?? optimize(request.graph),
    folder,
    onStep,
  );
  return { ...read, transform, files, origin, request, original, optimized };
}

/** Reads everything but the graph. */
async function readFiles(config: BuildConfig, files: ModelFiles, { repository, name }: ModelOrigin) {
  const sources = await readTypeSources(config, files, repository ?? name);
  const { modelConfig, vectorsByToken } = sources;
  const prepared = await prepareTokenizer(files, modelConfig, {
    ...sources.tokenizerDefaults,
    chosenLength: config.maxLength,
    usualLength: config.modelType === 'question_answering' ? QUESTION_LENGTH : undefined,
    truncationSide: config.tokenizer.truncation_side,
  });
  const tokenizer = vectorsByToken ? withLongest(prepared, vectorsByToken) : prepared;
  const mask = config.modelType === 'fill_mask' ? await findMaskToken(files, tokenizer.tokenizer) : undefined;
  const {
    license,
    facts: card,
    ...documents
  } = findLicense(config.license, await readDocuments(files.folder));
  return { sources, tokenizer, mask, license, card, documents };
}

/** Queries and documents have maximum lengths of their own, so the model need not read longer texts. */
const withLongest = (tokenizer: PreparedTokenizer, source: MultiVectorSource): PreparedTokenizer => {
  const { settings } = tokenizer;
  return { ...tokenizer, settings: { ...settings, maxLength: longestText(source, settings.maxLength) } };
};

/** The default of transformers' question answering pipeline: answers in longer texts are found in windows of this length. */
const QUESTION_LENGTH = 384;

/** The ONNX graph of a model, which is written to `folder` if the model has only safetensors. */
async function graphOf(
  files: ModelFiles,
  { repository }: ModelOrigin,
  purpose: GraphPurpose,
  folder: string,
): Promise<string> {
  const { weights, modelConfig } = files;
  if (!isSafetensors(weights) || modelConfig === undefined) return weights;
  const written = join(folder, 'written');
  await mkdir(written);
  try {
    return await writeGraph({ weights, config: modelConfig }, purpose, written);
  } catch (error) {
    const { config, modules } = statedIn(files.folder);
    const source = { source: repository ?? files.folder, isOnHub: repository !== undefined };
    throw withExportWay(error, exportFacts(config, modules), source);
  }
}
