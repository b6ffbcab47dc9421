import type { Behaviors } from './behavior.ts';

/** Documented behavior of models that find objects in images. */
export const DETECTION = {
  'detection:golden': {
    source: 'docs/images.md#objects',
    behavior:
      'Labels, scores and boxes are equal to those of transformers over every protocol and in infer, for images of different sizes alone and together.',
  },
  'detection:requests': {
    source: 'docs/images.md#objects',
    behavior:
      'threshold and top_k choose objects; the Inference API returns whole pixels, and a threshold outside of 0 to 1 is rejected.',
  },
  'detection:build': {
    source: 'docs/images.md#objects',
    behavior:
      'Weights of YOLOS and DETR, and ONNX exports with logits, pred_boxes and pixel_mask, build without settings; threshold sets the default.',
  },
} as const satisfies Behaviors;
