/** @import { Session } from '../session.js' */
import { open, ServerError } from '../server.js';

/**
 * Sends a chat completion that streams, and returns its usage if the server reports it.
 * @param {Session} session
 * @param {Record<string, unknown>} body
 * @param {{ key: string, signal: AbortSignal, onText: (text: string) => void }} options `key` replaces that of the session
 * @returns {Promise<any>}
 */
export async function streamChat(session, body, { key, signal, onText }) {
  const path = 'v1/chat/completions';
  const request = { body: { ...body, stream_options: { include_usage: true } }, signal };
  const response = await (key === '' ? session.open(path, request) : open(path, { ...request, key }));
  if (!response.body) throw new ServerError('The answer has no body.', response.status);
  /** @type {any} */
  let usage;
  for await (const data of eventsOf(response.body)) {
    if (data === '[DONE]') break;
    const event = JSON.parse(data);
    if (event.error) throw new ServerError(event.error.message ?? 'The stream failed.', response.status);
    usage = event.usage ?? usage;
    const text = event.choices?.[0]?.delta?.content;
    if (typeof text === 'string') onText(text);
  }
  return usage;
}

/**
 * The data of server-sent events.
 * @param {ReadableStream<Uint8Array>} body
 */
async function* eventsOf(body) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = `${rest}${decoder.decode(value, { stream: true })}`.split(/\r?\n/);
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('data:')) yield line.slice(5).trim();
  }
}
