import { once } from 'node:events';
import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect';
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from '@connectrpc/connect-node';
import { Metadata, type StatusObject } from '@grpc/grpc-js';
import { Embedding } from '#gen/encoder/embedding_pb.ts';
import { connect } from './grpc-js.ts';

/** The result of a call as seen by the client. */
interface Seen {
  /** 0 if the call succeeded. */
  readonly status: number;
  readonly requestId: unknown;
}

/** A real client for `encoder.Embedding` that sends its own request ID. */
export interface ObservingClient {
  readonly name: string;
  readonly predict: (port: number, text: string, requestId: string) => Promise<Seen>;
}

const byTransport =
  (transport: (baseUrl: string) => Transport): ObservingClient['predict'] =>
  async (port, text, requestId) => {
    const client = createClient(Embedding, transport(`http://localhost:${port}`));
    let seen: unknown;
    const options = {
      headers: { 'x-request-id': requestId },
      onHeader: (headers: Headers) => (seen = headers.get('x-request-id')),
    };
    try {
      await client.predict({ inputs: [text] }, options);
      return { status: 0, requestId: seen };
    } catch (error) {
      const { code, metadata } = ConnectError.from(error, Code.Unknown);
      return { status: code, requestId: seen ?? metadata.get('x-request-id') };
    }
  };

const byGrpcJs: ObservingClient['predict'] = async (port, text, requestId) => {
  const { read, client } = connect('encoder/embedding.proto', 'encoder.Embedding', port);
  const metadata = new Metadata();
  metadata.set('x-request-id', requestId);
  const stream = read('Predict', { inputs: [text] }, metadata);
  stream.on('error', () => {});
  stream.resume();
  const [[headers], [{ code }]] = (await Promise.all([
    once(stream, 'metadata'),
    new Promise((resolve) => stream.once('status', (status) => resolve([status]))),
  ])) as [[Metadata], [StatusObject]];
  client.close();
  return { status: code, requestId: headers.get('x-request-id')[0] };
};

export const OBSERVING_CLIENTS: readonly ObservingClient[] = [
  { name: '@grpc/grpc-js', predict: byGrpcJs },
  {
    name: 'connect-node by gRPC',
    predict: byTransport((baseUrl) => createGrpcTransport({ baseUrl })),
  },
  ...(['1.1', '2'] as const).flatMap((httpVersion) => [
    {
      name: `connect-node by gRPC-Web and HTTP/${httpVersion}`,
      predict: byTransport((baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion })),
    },
    {
      name: `connect-node by Connect and HTTP/${httpVersion}`,
      predict: byTransport((baseUrl) => createConnectTransport({ baseUrl, httpVersion })),
    },
  ]),
];
