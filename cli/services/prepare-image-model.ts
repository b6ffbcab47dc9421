import { PIXEL_INPUT } from '#contract/manifest.ts';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { configError } from '#contract/errors.ts';
import type { ImageModelType } from '#contract/model-types.ts';
import { tensorSize } from '#core/images/tensor-size.ts';
import { batchingText, imageSizeText } from '#core/model/manifest-facts.ts';
import { type StartedOnnxRuntime, withOnnxRuntime } from '../adapters/onnxruntime.ts';
import { ownVersion } from '../adapters/own-files.ts';
import type { BuildConfig } from '../config/build-config.ts';
import { isStoredWeights } from '../packaging/architectures/weight-files.ts';
import { writeGraph } from '../packaging/architectures/write-graph.ts';
import type { ImageBuildType, ReadImageModel } from '../packaging/images/image-build-type.ts';
import { locateImageFiles } from '../packaging/images/locate-image-files.ts';
import { prepareImageGraph } from '../packaging/images/prepare-image-graph.ts';
import { readImageProcessor } from '../packaging/images/read-processor.ts';
import { IMAGE_BUILD_TYPES } from '../packaging/model/build-types.ts';
import { attentionHeads, type ModelConfig } from '../packaging/model/model-config.ts';
import { findLicense, readDocuments } from '../packaging/model/model-documents.ts';
import { modelOrigin } from '../packaging/model/model-listing.ts';
import { optimizeGraph } from '../packaging/model/optimize-graph.ts';
import type { PreparedModel } from '../packaging/model/prepared-graph.ts';
import { readJsonObject } from '../packaging/model/read-json.ts';
import { planManifest } from '../packaging/plan.ts';
import type { Reporter } from '../packaging/reporter.ts';
import { sourceOf } from './source-of.ts';

/** Checks and prepares a model that reads images, and writes intermediate files to `folder`. */
export async function prepareImageModel(
  config: BuildConfig & { readonly modelType: ImageModelType },
  folder: string,
  report: Reporter,
  runtime?: StartedOnnxRuntime,
): Promise<PreparedModel> {
  refuseTextSettings(config);
  const type: ImageBuildType = IMAGE_BUILD_TYPES[config.modelType];
  const check = report.step('Checking the model files');
  const files = locateImageFiles(config.model, type.settingsFile);
  const origin = modelOrigin(config.model.kind === 'folder' ? config.model.folder : files.folder);
  const modelConfig: ModelConfig & Readonly<Record<string, unknown>> =
    files.modelConfig === undefined ? {} : await readJsonObject(files.modelConfig);
  const processor = await readImageProcessor(files.folder);
  const { recipe } = processor;
  const size = tensorSize(recipe);
  if (!size || (size.isLargest && !type.readsAnySize)) {
    throw configError(
      `${files.folder} gives each image another size, which is not supported. Choose a model whose images all have the same size.`,
    );
  }
  const documents = await readDocuments(files.folder);
  const { license, facts: card, licenseText, cardText, problems } = findLicense(config.license, documents);
  const read: ReadImageModel = { config, files, modelConfig, images: { recipe }, processor };
  check.done(`images of ${imageSizeText(recipe)}`);
  for (const problem of problems) report.warn(problem);
  if (processor.asksForFast) {
    report.print(
      `The model's settings name ${processor.name}Fast. Images are resized as ${processor.name} does; its pixels can differ by 1 of 255.`,
    );
  }

  const step = report.step('Optimizing and running the model');
  const graph = await withOnnxRuntime(async (started) => {
    const source = await graphOf(read, type, folder);
    const request = { file: files.weights, graph: source, keepsIntegers: config.keepsIntegers };
    const optimized = await optimizeGraph(started, request, folder);
    const outputs = type.outputs(read);
    return await prepareImageGraph(
      started,
      { file: files.weights, recipe, chosen: config.output, outputs, adapt: type.adaptGraph },
      optimized,
    );
  }, runtime);
  const { output, width, scores, precision, batching, positions } = graph;
  step.done(`${output.name}, ${width} values, ${precision}; ${batchingText({ batching })}`);
  if (scores !== undefined)
    report.print(`The graph ends in ${scores}, so its output is used as scores without a score function.`);
  const manifest = planManifest(
    config,
    {
      source: sourceOf(files.graph, origin),
      inputs: [PIXEL_INPUT],
      output: output.name,
      width,
      precision,
      batching,
      fixedShape: undefined,
      firstPosition: undefined,
      quantization: undefined,
      attentionHeads: attentionHeads(modelConfig),
      windows: undefined,
      ofType: type.facts({ ...read, output, width, scores }),
      tokenizer: positionsOnly(positions),
      graphChanges: undefined,
      transform: undefined,
      license,
      card,
    },
    ownVersion(),
  );
  return {
    files,
    tokenizer: undefined,
    labelTokenizer: undefined,
    graph,
    transform: undefined,
    layers: undefined,
    staticTable: undefined,
    licenseText,
    cardText,
    manifest,
  };
}

/** Models that read images have no tokens, but a number of positions for each image. */
const positionsOnly = (maxLength: number) =>
  ({ maxLength, truncationSide: 'right', padId: 0, vocabularySize: 0, marksSubwords: false }) as const;

/** Rejects settings that have no effect on images. */
function refuseTextSettings(config: BuildConfig): void {
  const { file, modelType, transform, quantize, distill, maxLength, windows, inputs } = config;
  const field = Object.entries({
    transform: transform !== undefined,
    quantize: quantize.form === 'int8',
    distill: distill.form !== 'none',
    max_length: maxLength !== undefined,
    long_texts: windows !== undefined,
    inputs: Object.keys(inputs).length > 0,
    tokenizer: Object.keys(config.tokenizer).length > 0,
  }).find(([, isSet]) => isSet)?.[0];
  if (field === undefined) return;
  throw configError(
    `${file}: \`${field}\` is not supported for model_type ${modelType}, which reads images. Remove it.`,
  );
}

/** The path of the model's ONNX graph, which is written to `folder` if the model only has weights. */
async function graphOf(read: ReadImageModel, type: ImageBuildType, folder: string): Promise<string> {
  const { files, images } = read;
  const { weights } = files;
  if (!isStoredWeights(weights) || files.modelConfig === undefined) return weights;
  const written = join(folder, 'written');
  await mkdir(written);
  const write = type.write(read, images.recipe.size);
  return await writeGraph({ weights, config: files.modelConfig }, write, written);
}
