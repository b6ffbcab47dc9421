import { AsyncLocalStorage } from 'node:async_hooks';
import { ConnectError } from '@connectrpc/connect';
import { compressionBrotli, compressionGzip } from '@connectrpc/connect-node';
import type { Compression, UniversalServerRequest } from '@connectrpc/connect/protocol';
import { AppError } from '#contract/errors.ts';
import type { ByteBudget, ByteHold } from '#core/limits/byte-budget.ts';
import { bodyDecoder } from '#serve/http/decode-body.ts';
import { GRPC_STATUS } from '#serve/errors/grpc-status.ts';
import type { NodeResponse } from './node-http.ts';

/** Charges the bytes of calls to the memory of the process for requests, compressed and decompressed. */
export interface HeldMessages {
  /** Compressions whose messages are charged to the call that they belong to. */
  readonly compressions: readonly Compression[];
  /** Runs a call with an account that ends with its response. */
  readonly run: <Result>(
    request: UniversalServerRequest,
    response: NodeResponse,
    handle: (request: UniversalServerRequest) => Result,
  ) => Result;
}

const ENCODING_HEADERS = ['grpc-encoding', 'connect-content-encoding', 'content-encoding'];

export function createHeldMessages(memory: ByteBudget): HeldMessages {
  const calls = new AsyncLocalStorage<ByteHold>();
  const bounded = (compression: Compression): Compression => ({
    ...compression,
    async decompress(bytes, readMaxBytes) {
      const decode = bodyDecoder(compression.name);
      const hold = calls.getStore();
      if (!decode || !hold) return await compression.decompress(bytes, readMaxBytes);
      const message = `message is larger than configured readMaxBytes ${readMaxBytes} after decompression`;
      return await decode(bytes, {
        limit: readMaxBytes,
        tooLarge: () => new AppError('TooLargeError', message),
        hold,
      }).catch(rethrow);
    },
  });
  return {
    compressions: [compressionGzip, compressionBrotli].map(bounded),
    run(request, response, handle) {
      const { body } = request;
      if (!isStream(body)) return handle(request);
      const hold = memory.open();
      response.once('close', hold.release);
      const held = { ...request, body: charged(body, hold) };
      const isCompressed = ENCODING_HEADERS.some((name) => request.header.has(name));
      return isCompressed ? calls.run(hold, () => handle(held)) : handle(held);
    },
  };
}

/** Anything else is a body that another framework has parsed. */
const isStream = (body: UniversalServerRequest['body']): body is AsyncIterable<Uint8Array> =>
  typeof body === 'object' && body !== null && Symbol.asyncIterator in body;

async function* charged(body: AsyncIterable<Uint8Array>, hold: ByteHold): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of body) {
    try {
      hold.take(chunk.length);
    } catch (error) {
      rethrow(error);
    }
    yield chunk;
  }
}

function rethrow(error: unknown): never {
  const { code, message } = AppError.from(error);
  throw new ConnectError(message, GRPC_STATUS[code]);
}
