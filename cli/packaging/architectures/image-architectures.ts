import { lookup } from '#core/values/lookup.ts';
import { beit, beitVector } from './encoders/beit.ts';
import { clipImageVector, clipLabels, clipVision } from './encoders/clip.ts';
import { convnext, convnextVector } from './encoders/convnext.ts';
import { dinov2, dinov2Labels, dinov2WithRegisters, dinov2WithRegistersLabels } from './encoders/dinov2.ts';
import { resnet } from './encoders/resnet.ts';
import { segformer } from './encoders/segformer.ts';
import { siglipImageVector, siglipLabels, siglipVision } from './encoders/siglip.ts';
import { swin, swinVector } from './encoders/swin.ts';
import { deit, deitLabels, vit } from './encoders/vit.ts';
import type { Axis, Value } from './graph-writer.ts';
import type { ImageGraph } from './image-graph.ts';
import { type ImageHead, labelsOf, meanOfMap, pooledToken, tokenAt } from './image-heads.ts';
import { segformerPixelLabels } from './segformer-head.ts';

/** An encoder of images. */
export interface ImageArchitecture {
  readonly input: 'pixels';
  /** Prefixes of weight names in models with a head. */
  readonly prefixes: readonly string[];
  /** Writes the encoder; returns its hidden states in the shape of transformers' `last_hidden_state`. */
  readonly encode: (g: ImageGraph) => Value;
  /** The axes of the hidden states. */
  readonly axes: readonly Axis[];
  /** The scores of each image. */
  readonly labelHead: ImageHead;
  /** The vector of each image, pooled as in the model's own code. */
  readonly imageVector: ImageHead;
  /** Writes the encoder and the scores of each label for each cell of a map; undefined if a build cannot write them. */
  readonly pixelLabels?: (g: ImageGraph) => Value;
}

/** Encoders whose hidden states are a vector for each patch and special token. */
const ofPatches = { input: 'pixels', axes: ['batch', 'patches', 'width'] } as const;

/** Encoders whose hidden states are a map of cells. */
const ofMap = { input: 'pixels', axes: ['batch', 'channels', 'height', 'width'] } as const;

const likeConvnext = (prefix: string): ImageArchitecture => ({
  ...ofMap,
  prefixes: [prefix],
  encode: convnext,
  labelHead: labelsOf(convnextVector),
  imageVector: convnextVector,
});

export const clipVisionTower: ImageArchitecture = {
  ...ofPatches,
  prefixes: ['vision_model.'],
  encode: clipVision,
  labelHead: clipLabels,
  imageVector: clipImageVector,
};

export const siglipVisionTower: ImageArchitecture = {
  ...ofPatches,
  prefixes: ['vision_model.'],
  encode: siglipVision,
  labelHead: siglipLabels,
  imageVector: siglipImageVector,
};

/** Encoders of images by `model_type` in config.json. */
export const IMAGE_ARCHITECTURES = lookup<ImageArchitecture>({
  beit: {
    ...ofPatches,
    prefixes: ['beit.'],
    encode: beit,
    labelHead: labelsOf(beitVector),
    imageVector: beitVector,
  },
  clip_vision_model: clipVisionTower,
  convnext: likeConvnext('convnext.'),
  convnextv2: likeConvnext('convnextv2.'),
  deit: {
    ...ofPatches,
    prefixes: ['deit.'],
    encode: deit,
    labelHead: deitLabels,
    imageVector: pooledToken,
  },
  dinov2: {
    ...ofPatches,
    prefixes: ['dinov2.'],
    encode: dinov2,
    labelHead: dinov2Labels,
    imageVector: tokenAt(0),
  },
  dinov2_with_registers: {
    ...ofPatches,
    prefixes: ['dinov2_with_registers.'],
    encode: dinov2WithRegisters,
    labelHead: dinov2WithRegistersLabels,
    imageVector: tokenAt(0),
  },
  resnet: {
    ...ofMap,
    prefixes: ['resnet.'],
    encode: resnet,
    labelHead: labelsOf(meanOfMap, 'classifier.1'),
    imageVector: meanOfMap,
  },
  segformer: {
    ...ofMap,
    prefixes: ['segformer.'],
    encode: segformer,
    labelHead: labelsOf(meanOfMap),
    imageVector: meanOfMap,
    pixelLabels: segformerPixelLabels,
  },
  siglip_vision_model: siglipVisionTower,
  swin: {
    ...ofPatches,
    prefixes: ['swin.'],
    encode: swin,
    labelHead: labelsOf(swinVector),
    imageVector: swinVector,
  },
  vit: {
    ...ofPatches,
    prefixes: ['vit.'],
    encode: vit,
    labelHead: labelsOf(tokenAt(0)),
    imageVector: pooledToken,
  },
});

/** Names of the architectures that have this part. */
export const imageArchitecturesWith = (part: keyof ImageArchitecture): string[] =>
  Object.entries(IMAGE_ARCHITECTURES)
    .filter(([, architecture]) => architecture[part] !== undefined)
    .map(([name]) => name);
