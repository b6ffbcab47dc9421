import { parseJsonText } from '#core/json/json-text.ts';
import { membersOf } from '#core/json/members-of.ts';
import { eventText } from '../../streams/stream.ts';
import type { UpstreamBody } from '../http/upstream-body.ts';
import type { Upstream, UpstreamAnswer } from '../provider.ts';
import { createChunkedMessages, type StreamMessage } from './event-stream.ts';

const BINARY = 'application/vnd.amazon.eventstream';

/** An upstream whose binary streams become server-sent events, so that they are read like those of other providers. */
export const withEvents = (upstream: Upstream): Upstream => ({
  async request(request): Promise<UpstreamAnswer> {
    const isStream = request.headers?.['accept'] === 'text/event-stream';
    const own = isStream ? { ...request.headers, accept: BINARY } : request.headers;
    const answer = await upstream.request({ ...request, headers: own });
    if (!String(answer.headers['content-type']).startsWith(BINARY)) return answer;
    const headers = { ...answer.headers, 'content-type': 'text/event-stream' };
    return { ...answer, headers, body: asEvents(answer.body) };
  },
  close: () => upstream.close(),
});

function asEvents(body: UpstreamBody): UpstreamBody {
  const splitter = createChunkedMessages();
  const next = async (): Promise<Buffer | undefined> => {
    for (;;) {
      const chunk = await body.next();
      if (!chunk) {
        if (!splitter.isWhole()) throw new Error('the stream ended inside of a message');
        return undefined;
      }
      const messages = splitter.push(chunk);
      if (messages.length > 0) return Buffer.from(messages.map(eventOf).join(''));
    }
  };
  return {
    next,
    // Only answers with an error status are collected, and they are not binary.
    collect: (limit) => body.collect(limit),
    destroy: () => body.destroy(),
  };
}

/** The event of a message. Chunks of InvokeModel contain an event of the model itself. */
function eventOf({ headers, payload }: StreamMessage): string {
  const json = membersOf(parseJsonText(payload.toString('utf8')));
  if (headers[':message-type'] !== 'event') return errorEvent(headers, json);
  const name = headers[':event-type'] ?? '';
  if (name !== 'chunk') return eventText(json, name);
  const text = Buffer.from(String(json['bytes']), 'base64').toString('utf8');
  const type = String(membersOf(parseJsonText(text))['type']);
  return `event: ${type}\ndata: ${text}\n\n`;
}

/** Status of the exceptions of streams, which are the same as those of whole answers. */
const STATUS: Readonly<Record<string, number>> = {
  throttlingException: 429,
  validationException: 400,
  modelTimeoutException: 408,
  serviceUnavailableException: 503,
};

function errorEvent(
  headers: StreamMessage['headers'],
  { message }: Readonly<Record<string, unknown>>,
): string {
  const type = headers[':exception-type'] ?? headers[':error-code'] ?? 'error';
  const text = message ?? headers[':error-message'];
  return eventText({ type: 'error', error: { type, message: text, status: STATUS[type] ?? 500 } }, 'error');
}
