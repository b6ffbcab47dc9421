import { once } from 'node:events';
import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import type { ConnectRouter } from '@connectrpc/connect';
import { describe, expect, test } from 'vitest';
import { Embedding } from '#gen/encoder/embedding_pb.ts';
import { addReflection } from '#encoder/grpc/server/reflection.ts';
import { connect, type Message, type TestClient } from './grpc-js.ts';
import { testKernel } from '#test/helpers/test-kernel.ts';
import { useGrpcServers } from './test-server.ts';

const listen = useGrpcServers();
const routes = (router: ConnectRouter): void => addReflection(router, [Embedding], {});

describe.each(['v1', 'v1alpha'])('server reflection %s', (version) => {
  const open = async (): Promise<TestClient> => {
    const { port } = await listen({ routes, log: testKernel().log });
    const file = `grpc/reflection/${version}/reflection.proto`;
    return connect(file, `grpc.reflection.${version}.ServerReflection`, port);
  };
  /** Sends all requests on one stream, as clients do. */
  const ask = async (...questions: Message[]): Promise<Message[]> => {
    const { talk, client } = await open();
    const stream = talk('ServerReflectionInfo');
    const answers: Message[] = [];
    for (const question of questions) {
      stream.write(question);
      const [answer] = (await once(stream, 'data')) as [Message];
      expect(answer['original_request']).toMatchObject(question);
      answers.push(answer);
    }
    stream.end();
    await once(stream, 'end');
    client.close();
    return answers;
  };

  test('lists the services', async () => {
    const [answer] = await ask({ list_services: '' });
    expect(answer).toMatchObject({
      list_services_response: {
        service: [
          { name: 'encoder.Embedding' },
          { name: 'grpc.reflection.v1.ServerReflection' },
          { name: 'grpc.reflection.v1alpha.ServerReflection' },
        ],
      },
    });
  });

  test('returns a file with all its imports, by file name and by symbol', async () => {
    const answers = await ask(
      { file_by_filename: 'encoder/embedding.proto' },
      { file_containing_symbol: 'encoder.Embedding' },
      { file_containing_symbol: 'encoder.Embedding.Predict' },
      { file_containing_symbol: 'encoder.EmbeddingRequest' },
      { file_containing_symbol: 'encoder.EmbeddingRequest.inputs' },
    );
    for (const answer of answers) {
      expect(fileNames(answer)).toEqual(['encoder/embedding.proto', 'encoder/model.proto']);
    }
    const [model] = await ask({ file_containing_symbol: 'encoder.ModelType' });
    expect(fileNames(model ?? {})).toEqual(['encoder/model.proto']);
  });

  test('returns no extensions for messages without any', async () => {
    const [numbers] = await ask({ all_extension_numbers_of_type: 'encoder.TokenInfo' });
    expect(numbers).toMatchObject({
      all_extension_numbers_response: { base_type_name: 'encoder.TokenInfo', extension_number: [] },
    });
  });

  test('reports unknown names and continues', async () => {
    const extension = { containing_type: 'encoder.TokenInfo', extension_number: 7 };
    const answers = await ask(
      { file_by_filename: 'nope.proto' },
      { file_containing_symbol: 'encoder.Nope' },
      { file_containing_extension: extension },
      { all_extension_numbers_of_type: 'encoder.Nope' },
      {},
    );
    expect(answers.map((answer) => answer['error_response'])).toEqual([
      { error_code: 5, error_message: 'File not found: "nope.proto".' },
      { error_code: 5, error_message: 'Symbol not found: "encoder.Nope".' },
      { error_code: 5, error_message: 'Extension not found: 7 in "encoder.TokenInfo".' },
      { error_code: 5, error_message: 'Message not found: "encoder.Nope".' },
      { error_code: 3, error_message: 'Empty request: set one field of message_request.' },
    ]);
  });
});

function fileNames(answer: Message): string[] {
  const { file_descriptor_proto: files } = answer['file_descriptor_response'] as {
    file_descriptor_proto: Uint8Array[];
  };
  return files.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes).name);
}
