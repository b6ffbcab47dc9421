import { PER_TEXT } from '../onnx/select-output.ts';

/** The names of outputs with one vector per image. */
export const IMAGE_VECTORS = ['image_embeds', 'image_embeddings', 'pooler_output'].map((name) => ({
  name,
  shape: PER_TEXT,
}));
