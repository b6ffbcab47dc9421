import { rpcFailure } from '../rpc-result.ts';
import { parseMessages, type RpcMessage } from '../rpc-message.ts';
import { MAX_MESSAGE_BYTES } from '../transport.ts';
import type { RemoteAnswer } from './remote-client.ts';
import { UnusableAnswer } from './unusable-answer.ts';

/** Enough of a page to see what went wrong. */
const SHOWN_LETTERS = 200;

export const mediaType = ({ headers }: RemoteAnswer): string =>
  String(headers['content-type'] ?? '')
    .split(';', 1)[0]
    ?.trim()
    .toLowerCase() ?? '';

export const header = ({ headers }: RemoteAnswer, name: string): string | undefined => {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
};

/** Throws if the body is something else. */
export async function readMessagesOf(answer: RemoteAnswer, place: string): Promise<readonly RpcMessage[]> {
  const text = await readText(answer);
  const messages = parseMessages(text);
  if (messages) return messages;
  throw new UnusableAnswer(
    answer.status,
    `${place} answered with something that is no MCP message: ${shown(text)}`,
  );
}

/** What a status over 299 means: an error in JSON-RPC if the body is one. */
export async function failureOf(answer: RemoteAnswer, place: string): Promise<Error> {
  const text = await readText(answer);
  const error = parseMessages(text)?.find((message) => message.error)?.error;
  if (error) return rpcFailure(error);
  const { status } = answer;
  const wayOut = status === 401 || status === 403 ? ' Check its headers or OAuth settings.' : '';
  return new UnusableAnswer(
    status,
    `${place} answered with status ${status}.${wayOut} ${shown(text)}`.trim(),
  );
}

async function readText({ body, status }: RemoteAnswer): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const received: AsyncIterable<Buffer> = body;
  for await (const chunk of received) {
    bytes += chunk.length;
    if (bytes > MAX_MESSAGE_BYTES) {
      throw new UnusableAnswer(status, `The server sent a message of more than ${MAX_MESSAGE_BYTES} bytes.`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

const shown = (text: string): string => text.slice(0, SHOWN_LETTERS).replace(/\s+/g, ' ').trim();
