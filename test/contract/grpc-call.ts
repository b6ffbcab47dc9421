import { join } from 'node:path';
import {
  credentials,
  loadPackageDefinition,
  Metadata,
  type ServiceClientConstructor,
  type ServiceError,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { ROOT } from '../helpers/paths.ts';

const FILES = [
  'encoder/embedding.proto',
  'encoder/sequence_classification.proto',
  'encoder/token_classification.proto',
  'encoder/zero_shot_ner.proto',
  'grpc/health/v1/health.proto',
  'grpc/reflection/v1/reflection.proto',
  'grpc/reflection/v1alpha/reflection.proto',
];

export type GrpcClient = InstanceType<ServiceClientConstructor>;

/** A client for a service by its full name, created from our .proto files by another gRPC implementation. */
export function clientOf(service: string, port: number): GrpcClient {
  const loaded = loadPackageDefinition(
    loadSync(FILES, { includeDirs: [join(ROOT, 'proto')], keepCase: true, enums: String, defaults: true }),
  );
  const found = service
    .split('.')
    .reduce<unknown>((scope, name) => (scope as Record<string, unknown>)[name], loaded);
  const Service = found as ServiceClientConstructor;
  return new Service(`127.0.0.1:${port}`, credentials.createInsecure(), {
    'grpc.max_receive_message_length': -1,
  });
}

export type Outcome = { readonly answer: unknown } | { readonly code: number; readonly message: string };

interface CallOptions {
  readonly deadline?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** A unary call: its response, or its final status. */
export function callOf(
  client: GrpcClient,
  method: string,
  request: object,
  { deadline, headers = {}, signal }: CallOptions = {},
): Promise<Outcome> {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
  return new Promise((resolve) => {
    const done = (error: ServiceError | null, answer: unknown): void =>
      resolve(error ? { code: error.code, message: error.details } : { answer });
    const options = deadline === undefined ? {} : { deadline };
    const unary = client[method] as (...args: unknown[]) => { cancel: () => void };
    const call = unary.call(client, request, metadata, options, done);
    signal?.addEventListener('abort', () => call.cancel());
  });
}
