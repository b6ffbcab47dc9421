import { join } from 'node:path';
import {
  type ChannelCredentials,
  Client,
  type ClientDuplexStream,
  type ClientReadableStream,
  credentials,
  loadPackageDefinition,
  Metadata,
  type MethodDefinition,
  type ServiceClientConstructor,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { ROOT } from '#test/helpers/paths.ts';

/** The result of a call: a response, or a status other than OK. */
export interface Outcome {
  readonly answer?: Message;
  readonly status?: number;
  readonly message?: string;
  readonly trailer?: Metadata;
}

export type Message = Record<string, unknown>;

interface CallOptions {
  readonly deadline?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface TestClient {
  readonly call: (method: string, request: Message, options?: CallOptions) => Promise<Outcome>;
  readonly read: (method: string, request: Message, headers?: Metadata) => ClientReadableStream<Message>;
  readonly talk: (method: string) => ClientDuplexStream<Message, Message>;
  readonly client: Client;
}

/** A client that uses only a .proto file of this project: @grpc/grpc-js shares no code with the server. */
export function connect(
  file: string,
  service: string,
  port: number,
  security: ChannelCredentials = credentials.createInsecure(),
): TestClient {
  const loaded = loadPackageDefinition(
    loadSync(file, {
      includeDirs: [join(ROOT, 'proto')],
      keepCase: true,
      enums: String,
      longs: Number,
      defaults: true,
    }),
  );
  const found = service.split('.').reduce<unknown>((scope, name) => (scope as Message)[name], loaded);
  const methods = (found as ServiceClientConstructor).service;
  const client = new Client(`localhost:${port}`, security, { 'grpc.max_receive_message_length': -1 });
  const parts = (method: string): Parts => {
    const { path, requestSerialize, responseDeserialize } = methods[method] as Definition;
    return [path, requestSerialize, responseDeserialize];
  };
  return {
    client,
    call: (method, request, { deadline, headers = {} } = {}) =>
      new Promise((resolve) => {
        const metadata = new Metadata();
        for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
        const options = deadline === undefined ? {} : { deadline };
        client.makeUnaryRequest(...parts(method), request, metadata, options, (error, answer = {}) => {
          if (error) resolve({ status: error.code, message: error.details, trailer: error.metadata });
          else resolve({ answer });
        });
      }),
    read: (method, request, headers = new Metadata()) =>
      client.makeServerStreamRequest(...parts(method), request, headers),
    talk: (method) => client.makeBidiStreamRequest(...parts(method)),
  };
}

type Definition = MethodDefinition<Message, Message>;
type Parts = [string, Definition['requestSerialize'], Definition['responseDeserialize']];
