import { Type } from 'typebox';
import { planVector } from '#core/model/vector-plan.ts';
import { EXAMPLE_IMAGE, textsAndImagesMembers } from '../schemas/images.ts';
import { numbers } from '../schemas/results.ts';
import type { TextOrImage } from '../engine/text-or-image.ts';
import { vectorSettings } from './sentence-embedding.ts';
import type { BodyOf, ServedType } from './served-type.ts';

const result = Type.Object(
  { embedding: numbers('Vector of the text or image.') },
  { $id: 'ImageTextEmbeddingResult' },
);

export const servedImageTextEmbedding: ServedType<BodyOf<ReturnType<typeof vectorSettings>, TextOrImage>> = {
  texts: {
    summary: 'Compute one vector per text or image, in one space.',
    tool: 'Computes vectors of texts and images that can be compared with each other. Images are given in base64 or as data: URLs.',
  },
  request: (manifest, { maxClientBatch }) => ({
    inputs: textsAndImagesMembers(maxClientBatch),
    options: vectorSettings(manifest),
  }),
  result: () => result,
  example: () => ({
    request: { inputs: ['Anna lives in Berlin.', { image: EXAMPLE_IMAGE }], normalize: true },
    result: { embedding: [0.6, -0.8] },
  }),
  info: () => ({ embedding: { pooling: 'none' } }),
  predict: { plan: ({ manifest }, wishes) => ({ options: planVector(manifest, wishes).options }) },
  grpc: async () => (await import('#gen/encoder/image_text_embedding_pb.ts')).ImageTextEmbedding,
};
