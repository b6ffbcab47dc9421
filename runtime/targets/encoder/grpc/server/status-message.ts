import type { UniversalServerResponse } from '@connectrpc/connect/protocol';

const HEADER = 'grpc-message';

/**
 * Percent-encodes characters that the header cannot contain:
 * https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md#responses
 */
export const encodeStatusMessage = (text: string): string =>
  text.toWellFormed().replace(/[^\x20-\x24\x26-\x7e]/gu, encodeURIComponent);

/**
 * Connect also encodes commas, colons and similar characters, and @grpc/grpc-js shows them to users undecoded. The trailer is
 * complete when the body is.
 */
export function withPlainStatusMessage(response: UniversalServerResponse): UniversalServerResponse {
  const { body, trailer } = response;
  if (!body || !trailer) return response;
  return { ...response, body: thenRewrite(body, trailer) };
}

async function* thenRewrite(body: AsyncIterable<Uint8Array>, trailer: Headers): AsyncIterable<Uint8Array> {
  yield* body;
  const message = trailer.get(HEADER);
  if (message) trailer.set(HEADER, encodeStatusMessage(decodeURIComponent(message)));
}
