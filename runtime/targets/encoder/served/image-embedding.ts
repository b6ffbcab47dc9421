import { Type } from 'typebox';
import { planVector } from '#core/model/vector-plan.ts';
import { imageMembers } from '../schemas/images.ts';
import { numbers } from '../schemas/results.ts';
import { vectorSettings } from './sentence-embedding.ts';
import type { BodyOf, ServedType } from './served-type.ts';

const result = Type.Object({ embedding: numbers('Vector of the image.') }, { $id: 'ImageEmbeddingResult' });

export const servedImageEmbedding: ServedType<BodyOf<ReturnType<typeof vectorSettings>, string>> = {
  texts: {
    summary: 'Compute one vector per image.',
    tool: 'Computes vectors of images, which are given in base64 or as data: URLs.',
  },
  request: (manifest, { maxClientBatch }) => ({
    inputs: imageMembers(maxClientBatch),
    options: vectorSettings(manifest),
  }),
  result: () => result,
  example: () => ({ request: { normalize: true }, result: { embedding: [0.6, -0.8] } }),
  info: () => ({ image_embedding: {} }),
  predict: { plan: ({ manifest }, wishes) => ({ options: planVector(manifest, wishes).options }) },
  grpc: async () => (await import('#gen/encoder/image_embedding_pb.ts')).ImageEmbedding,
};
