import { connect, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http2';

export interface RawAnswer {
  readonly headers: IncomingHttpHeaders;
  readonly trailers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** An HTTP/2 request with exactly these bytes, for requests that a regular client never sends. */
export async function requestHttp2(
  port: number,
  path: string,
  body: Uint8Array,
  headers: OutgoingHttpHeaders = {},
): Promise<RawAnswer> {
  const session = connect(`http://localhost:${port}`);
  try {
    return await new Promise((resolve, reject) => {
      session.on('error', reject);
      const stream = session.request({
        ':method': 'POST',
        ':path': path,
        'content-type': 'application/grpc+proto',
        te: 'trailers',
        ...headers,
      });
      const chunks: Buffer[] = [];
      let [received, trailers]: IncomingHttpHeaders[] = [];
      stream.on('response', (response) => (received = response));
      stream.on('trailers', (trailer) => (trailers = trailer));
      stream.on('data', (chunk: Buffer) => void chunks.push(chunk));
      stream.on('error', reject);
      stream.on('end', () =>
        resolve({ headers: received ?? {}, trailers: trailers ?? {}, body: Buffer.concat(chunks) }),
      );
      stream.end(body);
    });
  } finally {
    session.close();
  }
}

/** The status of a gRPC response, in the headers or trailers. */
export const statusOf = ({ headers, trailers }: RawAnswer): number =>
  Number(trailers['grpc-status'] ?? headers['grpc-status']);

/** A message in a gRPC frame. */
export function frame(message: Uint8Array): Buffer<ArrayBuffer> {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}
