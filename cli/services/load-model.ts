import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { timeStep } from '#core/time/time-step.ts';
import type { OnnxRuntime } from '../adapters/onnxruntime.ts';
import type { BuildConfig } from '../config/build-config.ts';
import { isSafetensors } from '../packaging/architectures/safetensors-files.ts';
import { writeGraph, type WriteOutput } from '../packaging/architectures/write-graph.ts';
import { exportFacts } from '../packaging/exports/model-kind.ts';
import { withExportWay } from '../packaging/exports/needs-export.ts';
import type { BuildType } from '../packaging/model/build-type.ts';
import { findLicense } from '../packaging/model/find-license.ts';
import { locateModelFiles, type ModelFiles } from '../packaging/model/locate-files.ts';
import { readDocuments } from '../packaging/model/model-documents.ts';
import { statedIn } from '../packaging/model/model-listing.ts';
import { type ModelOrigin, modelOrigin } from '../packaging/model/model-origin.ts';
import { type OptimizedGraph, optimizeGraph } from '../packaging/model/optimize-graph.ts';
import { prepareGraph } from '../packaging/model/prepare-graph.ts';
import type { GraphRequest } from '../packaging/model/prepared-graph.ts';
import { prepareTokenizer } from '../packaging/model/prepare-tokenizer.ts';
import { prepareTransform } from '../packaging/model/prepare-transform.ts';
import { ineffectiveOptions } from '../packaging/model/tokenizer-options.ts';
import type { Reporter } from '../packaging/reporter.ts';

/**
 * Reads the files of a model and prepares its graph. ONNX Runtime starts, and optimizes the graph, while this process reads the
 * tokenizer; problems of the other files are reported first. `onWeights` receives the path of the optimized weights.
 */
export async function loadModel(
  runtime: OnnxRuntime,
  config: BuildConfig,
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
  const optimizing = isSafetensors(files.weights) ? undefined : optimize(files.weights);
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
  const optimized = report.step('Optimizing and running the model');
  const request: GraphRequest = {
    modelType: config.modelType,
    rules: tokenized.rules,
    output: config.output,
    inputs: config.inputs,
    isLengthChosen: config.maxLength !== undefined,
    family: settings.modelConfig.model_type,
    keepsIntegers: config.keepsIntegers,
    file: files.weights,
    graph: await graphOf(files, origin, tokenized.write, folder),
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

/** The ONNX graph of a model, which is written to `folder` if the model has only safetensors. */
async function graphOf(
  files: ModelFiles,
  { repository }: ModelOrigin,
  writeOutput: WriteOutput,
  folder: string,
): Promise<string> {
  const { weights, modelConfig } = files;
  if (!isSafetensors(weights) || modelConfig === undefined) return weights;
  const written = join(folder, 'written');
  await mkdir(written);
  try {
    return await writeGraph({ weights, config: modelConfig }, writeOutput, written);
  } catch (error) {
    const { config, modules } = statedIn(files.folder);
    const source = { source: repository ?? files.folder, isOnHub: repository !== undefined };
    throw withExportWay(error, exportFacts(config, modules), source);
  }
}
