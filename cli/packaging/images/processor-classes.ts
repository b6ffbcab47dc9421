import type { DetectionSettings } from '#contract/detection.ts';
import type { PerChannel, ResampleFilter } from '#contract/image-recipe.ts';
import { lookup } from '#core/values/lookup.ts';
import type { StatedSize } from './processor-fields.ts';

const STANDARD: PerChannel = [0.5, 0.5, 0.5];
export const IMAGENET_MEAN: PerChannel = [0.485, 0.456, 0.406];
export const IMAGENET_STD: PerChannel = [0.229, 0.224, 0.225];
const CLIP_MEAN: PerChannel = [0.481_454_66, 0.457_827_5, 0.408_210_73];
const CLIP_STD: PerChannel = [0.268_629_54, 0.261_302_58, 0.275_777_11];

/**
 * A class of image processors of transformers, with its defaults. Undefined defaults differ between transformers
 * 4 and 5, so that the model's files must state the field.
 */
export interface ProcessorClass {
  /** What a single number means as `size`; undefined if the class does not accept one. */
  readonly sizeNumber?: 'square' | 'shortest_edge' | 'edges';
  readonly size: StatedSize | undefined;
  readonly filter: ResampleFilter | undefined;
  /** Undefined if the class ignores `do_center_crop`. */
  readonly crop?: { readonly isDefault: boolean | undefined; readonly size: StatedSize | undefined };
  /** Undefined if the class does not normalize. */
  readonly normalize?: { readonly isDefault: boolean; readonly mean: PerChannel; readonly std: PerChannel };
  /** Whether the class converts images to RGB, which transformers 5 does on a white background. */
  readonly convertsToRgb?: true;
  /** Crops by `crop_pct` if the size is below 384. */
  readonly hasCropPercentage?: true;
  /** Can reverse the order of the channels (`do_flip_channel_order`). */
  readonly flipsChannels?: true;
  /** Has `rescale_offset` and `include_top`. */
  readonly hasOffset?: true;
  /** Accepts `shortest_edge` together with `longest_edge`, reduces sizes to a multiple, and pads. */
  readonly detects?: { readonly multipleOf: number };
  /** How the class finds objects in the outputs of a model. */
  readonly detection?: DetectionSettings;
}

const square = (size: number): StatedSize => ({ kind: 'exact', height: size, width: size });
const shortest = (size: number): StatedSize => ({ kind: 'shortest_edge', size });

const standard = { isDefault: true, mean: STANDARD, std: STANDARD };
const imagenet = { isDefault: true, mean: IMAGENET_MEAN, std: IMAGENET_STD };
const clip = { isDefault: true, mean: CLIP_MEAN, std: CLIP_STD };
const crop224 = { isDefault: true, size: square(224) };
const noCrop = { isDefault: false, size: undefined };

const BIT: ProcessorClass = {
  sizeNumber: 'shortest_edge',
  size: shortest(224),
  filter: 'bicubic',
  crop: crop224,
  normalize: clip,
  convertsToRgb: true,
};
const MOBILENET: ProcessorClass = {
  sizeNumber: 'shortest_edge',
  size: shortest(256),
  filter: 'bilinear',
  crop: crop224,
  normalize: standard,
};
const DETR: ProcessorClass = {
  sizeNumber: 'edges',
  size: { kind: 'edges', shortest: 800, longest: 1333 },
  filter: 'bilinear',
  normalize: imagenet,
  detects: { multipleOf: 1 },
  detection: { scores: 'softmax' },
};
/** Of these classes, transformers considers the 100 highest scores. */
const DEFORMABLE_DETR: ProcessorClass = { ...DETR, detection: { scores: 'sigmoid', candidates: 100 } };

const CLASSES: Readonly<Record<string, ProcessorClass>> = lookup<ProcessorClass>({
  ViT: { sizeNumber: 'square', size: square(224), filter: 'bilinear', crop: noCrop, normalize: standard },
  DeiT: { sizeNumber: 'square', size: square(256), filter: 'bicubic', crop: crop224, normalize: standard },
  Beit: {
    sizeNumber: 'square',
    size: undefined,
    filter: 'bicubic',
    crop: { isDefault: undefined, size: square(224) },
    normalize: standard,
  },
  ConvNext: {
    sizeNumber: 'shortest_edge',
    size: shortest(384),
    filter: undefined,
    normalize: standard,
    hasCropPercentage: true,
  },
  CLIP: BIT,
  Bit: BIT,
  Siglip: { size: square(224), filter: 'bicubic', crop: noCrop, normalize: standard, convertsToRgb: true },
  MobileNetV1: MOBILENET,
  MobileNetV2: MOBILENET,
  MobileViT: {
    sizeNumber: 'shortest_edge',
    size: shortest(224),
    filter: undefined,
    crop: { isDefault: true, size: square(256) },
    flipsChannels: true,
  },
  EfficientNet: {
    sizeNumber: 'square',
    size: square(346),
    filter: undefined,
    crop: { isDefault: false, size: square(289) },
    normalize: standard,
    hasOffset: true,
  },
  Segformer: { sizeNumber: 'square', size: square(512), filter: 'bilinear', normalize: imagenet },
  Detr: DETR,
  ConditionalDetr: DEFORMABLE_DETR,
  DeformableDetr: DEFORMABLE_DETR,
  Yolos: { ...DETR, detects: { multipleOf: 16 } },
  RTDetr: {
    size: square(640),
    filter: 'bilinear',
    normalize: { ...imagenet, isDefault: false },
    detects: { multipleOf: 1 },
    detection: { scores: 'sigmoid' },
  },
});

/** The names of the classes, without the suffix that all of them have. */
export const PROCESSOR_NAMES: readonly string[] = Object.keys(CLASSES);

export const processorClass = (name: string): ProcessorClass | undefined => CLASSES[name];

/** The class of processors for models whose processor's file does not name it, by `model_type` in config.json. */
export const PROCESSOR_OF_MODEL: Readonly<Record<string, string>> = lookup({
  beit: 'Beit',
  clip: 'CLIP',
  clip_vision_model: 'CLIP',
  conditional_detr: 'ConditionalDetr',
  convnext: 'ConvNext',
  convnextv2: 'ConvNext',
  d_fine: 'RTDetr',
  dab_detr: 'ConditionalDetr',
  'data2vec-vision': 'Beit',
  deformable_detr: 'DeformableDetr',
  deit: 'DeiT',
  detr: 'Detr',
  dinov2: 'Bit',
  dinov2_with_registers: 'Bit',
  efficientnet: 'EfficientNet',
  mobilenet_v1: 'MobileNetV1',
  mobilenet_v2: 'MobileNetV2',
  mobilevit: 'MobileViT',
  mobilevitv2: 'MobileViT',
  resnet: 'ConvNext',
  regnet: 'ConvNext',
  rt_detr: 'RTDetr',
  rt_detr_v2: 'RTDetr',
  segformer: 'Segformer',
  siglip: 'Siglip',
  siglip_vision_model: 'Siglip',
  'table-transformer': 'Detr',
  swin: 'ViT',
  swinv2: 'ViT',
  vit: 'ViT',
  yolos: 'Yolos',
});
