import { create } from '@bufbuild/protobuf';
import type { Manifest } from '#contract/manifest.ts';
import type { ModelType as ModelTypeName } from '#contract/model-types.ts';
import {
  type GetModelMetadataResponse,
  GetModelMetadataResponseSchema,
  ModelType,
} from '#gen/encoder/model_pb.ts';

/** Values of the enumeration have the names of the types, in capitals: a type that it lacks does not compile. */
const valueOf = (type: ModelTypeName): ModelType => ModelType[type.toUpperCase() as Uppercase<ModelTypeName>];

export function modelMetadata({ name, version, modelType, id2label }: Manifest): GetModelMetadataResponse {
  return create(GetModelMetadataResponseSchema, {
    modelId: name,
    modelType: valueOf(modelType),
    id2label: { ...id2label },
    version,
  });
}
