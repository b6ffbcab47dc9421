import { inputError } from '#contract/errors.ts';
import type { TextRole } from '#contract/multi-vector.ts';
import { InputType, MultiVector, MultiVectorResponseSchema } from '#gen/encoder/multi_vector_pb.ts';
import { modelMetadata } from './model-metadata.ts';
import { predict } from './predict.ts';
import type { ModelService } from './service.ts';

export const multiVector: ModelService = {
  service: MultiVector,
  add(router, context, options) {
    router.service(
      MultiVector,
      {
        predict: (request, call) =>
          predict(context, call, { ...request, role: roleOf(request.inputType) }, MultiVectorResponseSchema),
        getModelMetadata: () => modelMetadata(context.engine.manifest),
      },
      options,
    );
  },
};

function roleOf(type: InputType): TextRole {
  if (type === InputType.QUERY) return 'query';
  if (type === InputType.DOCUMENT) return 'document';
  throw inputError(
    `input_type must be QUERY or DOCUMENT, not ${type === InputType.INPUT_TYPE_UNSPECIFIED ? 'INPUT_TYPE_UNSPECIFIED' : type}`,
  );
}
