import type { DescService } from '@bufbuild/protobuf';
import { Code, type ConnectRouter, type ConnectRouterOptions } from '@connectrpc/connect';
import { ServerReflection, type ServerReflectionRequest } from '#gen/grpc/reflection/v1/reflection_pb.ts';
import {
  ServerReflection as ServerReflectionAlpha,
  type ServerReflectionRequest as ServerReflectionRequestAlpha,
} from '#gen/grpc/reflection/v1alpha/reflection_pb.ts';
import { createDescriptorIndex, type DescriptorIndex } from './descriptor-index.ts';

/** Both versions of the reflection service have the same messages under different names. */
type Request = ServerReflectionRequest | ServerReflectionRequestAlpha;

/** Server reflection: https://github.com/grpc/grpc/blob/master/doc/server-reflection.md */
export function addReflection(
  router: ConnectRouter,
  services: readonly DescService[],
  options: Partial<ConnectRouterOptions>,
): void {
  const index = createDescriptorIndex([...services, ServerReflection, ServerReflectionAlpha]);
  router.service(
    ServerReflection,
    { serverReflectionInfo: (requests) => responses(index, requests) },
    options,
  );
  router.service(
    ServerReflectionAlpha,
    { serverReflectionInfo: (requests) => responses(index, requests) },
    options,
  );
}

async function* responses<Version extends Request>(index: DescriptorIndex, requests: AsyncIterable<Version>) {
  for await (const request of requests) {
    const messageResponse = answer(index, request.messageRequest);
    yield { validHost: request.host, originalRequest: request, messageResponse };
  }
}

function answer(index: DescriptorIndex, question: Request['messageRequest']) {
  if (question.case === 'listServices') {
    const service = index.services.map((name) => ({ name }));
    return { case: 'listServicesResponse', value: { service } } as const;
  }
  if (question.case === 'fileByFilename') {
    return files(index.fileByName(question.value), `File not found: "${question.value}".`);
  }
  if (question.case === 'fileContainingSymbol') {
    return files(index.fileBySymbol(question.value), `Symbol not found: "${question.value}".`);
  }
  if (question.case === 'fileContainingExtension') {
    const { containingType, extensionNumber } = question.value;
    const found = index.fileByExtension(containingType, extensionNumber);
    return files(found, `Extension not found: ${extensionNumber} in "${containingType}".`);
  }
  if (question.case === 'allExtensionNumbersOfType') {
    const extensionNumber = index.extensionNumbers(question.value);
    if (!extensionNumber) return refusal(Code.NotFound, `Message not found: "${question.value}".`);
    const value = { baseTypeName: question.value, extensionNumber };
    return { case: 'allExtensionNumbersResponse', value } as const;
  }
  return refusal(Code.InvalidArgument, 'Empty request: set one field of message_request.');
}

function files(fileDescriptorProto: Uint8Array[] | undefined, otherwise: string) {
  if (!fileDescriptorProto) return refusal(Code.NotFound, otherwise);
  return { case: 'fileDescriptorResponse', value: { fileDescriptorProto } } as const;
}

function refusal(errorCode: Code, errorMessage: string) {
  return { case: 'errorResponse', value: { errorCode, errorMessage } } as const;
}
