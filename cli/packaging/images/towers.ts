import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { configError } from '#contract/errors.ts';
import type { TowersModelType } from '#contract/model-types.ts';
import { lookup } from '#core/values/lookup.ts';
import { findArchitecture } from '../architectures/architectures.ts';
import { towerConfig } from '../architectures/towers.ts';
import { isStoredWeights } from '../architectures/weight-files.ts';
import { writeImageVectors, writeTextVectors } from '../architectures/write-graph.ts';
import type { ReadModelRequest } from '../model/build-type.ts';
import { type Evidence, hasHead } from '../model/evidence.ts';
import { hasTokenizer, type ModelFiles } from '../model/locate-files.ts';
import { type ModelConfig, readModelConfig } from '../model/model-config.ts';
import type { PreparedGraph } from '../model/prepared-graph.ts';
import type { PreparedTokenizer } from '../model/prepare-tokenizer.ts';
import type { OnnxTools } from '../../adapters/onnxruntime.ts';
import type { Reporter } from '../reporter.ts';
import { buildImageGraph } from './build-image-graph.ts';
import { findProcessor } from './find-processor.ts';
import { IMAGE_VECTORS } from './image-vectors.ts';
import type { RunImageGraph } from './prepare-image-graph.ts';
import { readImageSettings } from './read-image-settings.ts';
import { vectorSettings } from './vector-settings.ts';

/** Whether a model's folder has all that is needed to embed texts and images into one space. */
export const hasTowers = (evidence: Evidence): boolean =>
  typeof evidence.config['model_type'] === 'string' &&
  findArchitecture(evidence.config['model_type'])?.input === 'tokens or pixels' &&
  findProcessor(evidence.folder) !== undefined &&
  hasTokenizer(evidence.folder) &&
  !hasHead(evidence);

/** The maximum number of tokens if config.json does not state it, as in transformers. */
const DEFAULT_LENGTHS = lookup({ clip: 77, siglip: 64 });

/**
 * Reads a model with an encoder of texts and an encoder of images. `ownFacts` are the facts in the manifest that only models of
 * this type have.
 */
export async function readTowers<Type extends TowersModelType, Own extends object>(
  { config, files }: ReadModelRequest,
  modelType: Type,
  ownFacts: (weights: string) => Own | Promise<Own>,
) {
  const stated = await readModelConfig(files);
  refuseUnfilled(stated, files);
  const { images, note } = await readImageSettings(files.folder);
  const { recipe } = images;
  const imageFiles = { ...files, weights: imageFile(files, modelType) };
  const { keepsIntegers } = config;
  const own = await ownFacts(files.weights);
  const graphFacts = ({ width }: PreparedGraph, image: RunImageGraph | undefined) => {
    if (!image) throw new Error('the encoder of images has not been prepared');
    if (image.width !== width) {
      throw configError(
        `Vectors of texts have ${width} dimensions and vectors of images ${image.width}, so they cannot be compared. Both encoders must come from the same model.`,
      );
    }
    const { output, positions, hasConvolutions } = image;
    return {
      images: { ...images, encoder: { output: output.name, positions, hasConvolutions } },
      sentence: vectorSettings(config, 'none', width),
    };
  };
  return {
    // The settings of the encoder of texts, in the form of config.json.
    modelConfig: {
      max_position_embeddings: DEFAULT_LENGTHS[String(stated.model_type)],
      ...towerConfig(stated, 'text'),
    },
    withTokenizer: ({ settings }: PreparedTokenizer) => ({
      write: writeTextVectors(settings.padId),
      rules: {},
      imageEncoder: (runtime: OnnxTools, folder: string) =>
        buildImageGraph(
          runtime,
          {
            files: imageFiles,
            recipe,
            write: writeImageVectors(recipe.size),
            outputs: IMAGE_VECTORS,
            keepsIntegers,
          },
          folder,
        ),
      withGraph: (_: PreparedGraph, image: RunImageGraph | undefined) => ({
        report: (report: Reporter) => {
          if (note !== undefined) report.print(note);
        },
        facts: (graph: PreparedGraph) => ({ modelType, ...graphFacts(graph, image), ...own }),
      }),
    }),
  };
}

/** Rejects exported graphs of models whose texts must be filled to the maximum, which only graphs from weights do. */
function refuseUnfilled({ model_type }: ModelConfig, { weights }: Pick<ModelFiles, 'weights'>): void {
  if (isStoredWeights(weights) || !String(model_type).startsWith('siglip')) return;
  throw configError(
    `${weights} is an exported graph of SigLIP, whose texts must be padded to the maximum length. Choose the weights with \`variant: safetensors\`.`,
  );
}

/** The file with the encoder of images: the weights of the whole model, or the graph next to that of texts. */
function imageFile({ weights }: Pick<ModelFiles, 'weights'>, modelType: TowersModelType): string {
  if (isStoredWeights(weights)) return weights;
  const path = join(dirname(weights), basename(weights).replace(TEXT_GRAPH, 'vision$1'));
  if (path !== weights && existsSync(path)) return path;
  throw configError(
    `A model of type ${modelType} needs two graphs, such as text_model.onnx and vision_model.onnx, but only ${weights} was chosen. Choose the graph for texts with \`variant\`, or weights with \`variant: safetensors\`.`,
  );
}

/** The names of a graph for texts, such as text_model_fp16.onnx. */
const TEXT_GRAPH = /^text(_model(?:_\w+)?\.onnx)$/;
