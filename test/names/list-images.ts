import type { NamedModel } from './shape.ts';

/** A model of images. `made` is the key of its class in image_models.py. */
const image = (name: string, made: string, processor: object): NamedModel => ({
  name,
  task: 'image',
  made,
  processor,
});

/** A model that reads texts and images. */
const towers = (name: string, made: string, processor: object): NamedModel => ({
  ...image(name, made, processor),
  task: 'towers',
});

/** A model whose type is not built. */
const other = (name: string, model_type: string, architecture: string): NamedModel => ({
  name,
  task: 'image',
  config: { model_type, architectures: [architecture], image_size: 224, num_channels: 3, hidden_size: 8 },
});

const [HALF, IMAGENET_MEAN, IMAGENET_STD] = [
  [0.5, 0.5, 0.5],
  [0.485, 0.456, 0.406],
  [0.229, 0.224, 0.225],
];
const common = { do_normalize: true, do_rescale: true, do_resize: true, rescale_factor: 1 / 255 };
const square = (size: number) => ({ size: { height: size, width: size } });
const vit = {
  ...common,
  image_processor_type: 'ViTImageProcessor',
  image_mean: HALF,
  image_std: HALF,
  resample: 2,
};
const dinov2 = {
  ...common,
  image_processor_type: 'BitImageProcessor',
  do_center_crop: true,
  do_convert_rgb: true,
  crop_size: { height: 224, width: 224 },
  size: { shortest_edge: 256 },
  image_mean: IMAGENET_MEAN,
  image_std: IMAGENET_STD,
  resample: 3,
};
const clip = {
  crop_size: 224,
  do_center_crop: true,
  do_normalize: true,
  do_resize: true,
  feature_extractor_type: 'CLIPFeatureExtractor',
  image_mean: [0.48145466, 0.4578275, 0.40821073],
  image_std: [0.26862954, 0.26130258, 0.27577711],
  resample: 3,
  size: 224,
};
const siglip = {
  ...common,
  image_processor_type: 'SiglipImageProcessor',
  image_mean: HALF,
  image_std: HALF,
  resample: 3,
};
const convnext = {
  ...common,
  image_processor_type: 'ConvNextImageProcessor',
  crop_pct: 0.875,
  image_mean: IMAGENET_MEAN,
  image_std: IMAGENET_STD,
  resample: 3,
  size: { shortest_edge: 224 },
};

const objects = {
  do_normalize: true,
  do_resize: true,
  format: 'coco_detection',
  image_mean: IMAGENET_MEAN,
  image_std: IMAGENET_STD,
  max_size: 1333,
  size: 800,
};

/** Models of images. */
export const IMAGES: readonly NamedModel[] = [
  image('google/vit-base-patch16-224', 'vit', { ...vit, ...square(224) }),
  image('Falconsai/nsfw_image_detection', 'vit', { ...vit, ...square(224) }),
  image('facebook/deit-base-distilled-patch16-224', 'deit', {
    ...common,
    image_processor_type: 'DeiTImageProcessor',
    do_center_crop: true,
    crop_size: { height: 224, width: 224 },
    size: { height: 256, width: 256 },
    image_mean: IMAGENET_MEAN,
    image_std: IMAGENET_STD,
    resample: 3,
  }),
  image('microsoft/resnet-50', 'resnet', convnext),
  image('facebook/convnext-tiny-224', 'convnext', convnext),
  image('microsoft/swin-tiny-patch4-window7-224', 'swin', {
    ...vit,
    ...square(224),
    image_mean: IMAGENET_MEAN,
    image_std: IMAGENET_STD,
    resample: 3,
  }),
  image('facebook/dinov2-small', 'dinov2', dinov2),
  image('facebook/dinov2-base', 'dinov2', dinov2),
  image('facebook/dinov2-with-registers-base', 'dinov2_with_registers', dinov2),
  towers('openai/clip-vit-base-patch32', 'clip', clip),
  towers('google/siglip-base-patch16-224', 'siglip', { ...siglip, ...square(224) }),
  towers('google/siglip2-base-patch16-224', 'siglip2', { ...siglip, ...square(224) }),
  image('facebook/detr-resnet-50', 'detr', { ...objects, feature_extractor_type: 'DetrFeatureExtractor' }),
  image('hustvl/yolos-tiny', 'yolos', { ...objects, feature_extractor_type: 'YolosFeatureExtractor' }),
  image('nvidia/segformer-b0-finetuned-ade-512-512', 'segformer', {
    do_normalize: true,
    do_resize: true,
    feature_extractor_type: 'SegformerFeatureExtractor',
    image_mean: IMAGENET_MEAN,
    image_std: IMAGENET_STD,
    reduce_labels: true,
    resample: 2,
    size: 512,
  }),
  other('facebook/mask2former-swin-base-coco-panoptic', 'mask2former', 'Mask2FormerForUniversalSegmentation'),
];
