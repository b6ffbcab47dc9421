import { create } from '@bufbuild/protobuf';
import type { Manifest } from '../../../contract/manifest.ts';
import type { ModelType as ModelTypeName } from '../../../contract/model-types.ts';
import {
  type GetModelMetadataResponse,
  GetModelMetadataResponseSchema,
  ModelType,
} from '../../../gen/encoder/model_pb.ts';

const MODEL_TYPE: Record<ModelTypeName, ModelType> = {
  embedding: ModelType.EMBEDDING,
  sparse_embedding: ModelType.SPARSE_EMBEDDING,
  fill_mask: ModelType.FILL_MASK,
  sequence_classification: ModelType.SEQUENCE_CLASSIFICATION,
  zero_shot_classification: ModelType.ZERO_SHOT_CLASSIFICATION,
  question_answering: ModelType.QUESTION_ANSWERING,
  token_classification: ModelType.TOKEN_CLASSIFICATION,
  zero_shot_ner: ModelType.ZERO_SHOT_NER,
  sentence_embedding: ModelType.SENTENCE_EMBEDDING,
  multi_vector: ModelType.MULTI_VECTOR,
};

export function modelMetadata({ name, version, modelType, id2label }: Manifest): GetModelMetadataResponse {
  return create(GetModelMetadataResponseSchema, {
    modelId: name,
    modelType: MODEL_TYPE[modelType],
    id2label: { ...id2label },
    version,
  });
}
