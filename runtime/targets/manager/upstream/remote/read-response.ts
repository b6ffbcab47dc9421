import { rpcFailure } from '../rpc-peer.ts';
import { createMessageMeter, ResultTooLarge, MAX_MESSAGE_BYTES } from '../connection.ts';
import { parseMessages, type RpcMessage } from '../rpc-message.ts';
import type { RemoteResponse } from './remote-client.ts';
import { UnexpectedResponse } from './unexpected-response.ts';

/** Number of characters of an unexpected body that messages show. */
const SHOWN_CHARACTERS = 200;

export const mediaType = ({ headers }: RemoteResponse): string =>
  String(headers['content-type'] ?? '')
    .split(';', 1)[0]
    ?.trim()
    .toLowerCase() ?? '';

export const header = ({ headers }: RemoteResponse, name: string): string | undefined => {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
};

/** Reads the MCP messages in a response; throws if the body contains anything else. */
export async function readMessagesOf(
  answer: RemoteResponse,
  place: string,
  maxCharacters?: number,
): Promise<readonly RpcMessage[]> {
  const text = await readText(answer, maxCharacters);
  const messages = parseMessages(text);
  if (messages) return messages;
  throw new UnexpectedResponse(
    answer.status,
    `${place} returned a response that is not an MCP message: ${shown(text)}`,
  );
}

/** Converts a response with a status above 299 to an error: the JSON-RPC error in its body, if any. */
export async function responseFailure(answer: RemoteResponse, place: string): Promise<Error> {
  const text = await readText(answer);
  const error = parseMessages(text)?.find((message) => message.error)?.error;
  if (error) return rpcFailure(error);
  const { status } = answer;
  const wayOut = status === 401 || status === 403 ? ' Check its headers or OAuth settings.' : '';
  return new UnexpectedResponse(status, `${place} returned status ${status}.${wayOut} ${shown(text)}`.trim());
}

async function readText({ body, status }: RemoteResponse, maxCharacters?: number): Promise<string> {
  const meter = createMessageMeter(maxCharacters);
  const chunks: Buffer[] = [];
  let bytes = 0;
  const received: AsyncIterable<Buffer> = body;
  for await (const chunk of received) {
    bytes += chunk.length;
    if (bytes > MAX_MESSAGE_BYTES) {
      throw new UnexpectedResponse(
        status,
        `The server sent a message larger than the maximum of ${MAX_MESSAGE_BYTES} bytes.`,
      );
    }
    if (meter.add(chunk)) throw new ResultTooLarge(maxCharacters ?? Infinity);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

const shown = (text: string): string => text.slice(0, SHOWN_CHARACTERS).replace(/\s+/g, ' ').trim();
