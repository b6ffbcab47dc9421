import type { NamedModel } from './shape.ts';

const image = (name: string, model_type: string, architecture: string): NamedModel => ({
  name,
  task: 'image',
  config: {
    model_type,
    architectures: [architecture],
    image_size: 224,
    patch_size: 16,
    num_channels: 3,
    hidden_size: 8,
  },
});

/** Models for images, which are not built. */
export const IMAGES: readonly NamedModel[] = [
  image('google/vit-base-patch16-224', 'vit', 'ViTForImageClassification'),
  image('microsoft/resnet-50', 'resnet', 'ResNetForImageClassification'),
  image('facebook/dinov2-small', 'dinov2', 'Dinov2Model'),
  image('facebook/dinov2-base', 'dinov2', 'Dinov2Model'),
  image('openai/clip-vit-base-patch32', 'clip', 'CLIPModel'),
  image('google/siglip-base-patch16-224', 'siglip', 'SiglipModel'),
  image('google/siglip2-base-patch16-224', 'siglip2', 'Siglip2Model'),
  image('Falconsai/nsfw_image_detection', 'vit', 'ViTForImageClassification'),
  image('facebook/detr-resnet-50', 'detr', 'DetrForObjectDetection'),
  image('hustvl/yolos-tiny', 'yolos', 'YolosForObjectDetection'),
  image('nvidia/segformer-b0-finetuned-ade-512-512', 'segformer', 'SegformerForSemanticSegmentation'),
];
