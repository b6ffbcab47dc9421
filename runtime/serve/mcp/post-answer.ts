import type { EventStream } from './event-stream.ts';
import { type HttpExchange, JSON_TYPE, STREAM_TYPE } from '../http/exchange.ts';
import type { RequestId } from './rpc-message.ts';

/**
 * The response to the requests in one POST. It is JSON, or a stream if another message must be sent
 * before the response.
 */
export interface PostAnswer {
  /** Sends a JSON message before the response. */
  readonly tell: (json: string) => void;
  /**
   * Sets the JSON response to one of the requests. If the JSON is undefined, this request does not
   * get a response. The status is ignored if the response is already a stream.
   */
  readonly settle: (id: RequestId, json?: string, status?: number) => void;
  /** Whether the client has disconnected and cannot resume the stream. */
  readonly isLost: () => boolean;
}

export interface PostAnswerOptions {
  readonly exchange: HttpExchange;
  readonly ids: readonly RequestId[];
  /** Whether the requests were sent as a list. The response is then also a list. */
  readonly isList: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly openStream: () => EventStream;
  /**
   * Time in milliseconds after which the response becomes a stream, because a stream can be kept
   * alive and resumed.
   */
  readonly streamAfterMilliseconds: number;
  /** Called when the client has received its response or has disconnected before that. */
  readonly onOver: (outcome: 'answered' | 'gone') => void;
}

export function createPostAnswer(options: PostAnswerOptions): PostAnswer {
  const { exchange, ids, isList, headers, openStream, onOver } = options;
  const open = new Set(ids);
  const answers: string[] = [];
  let stream: EventStream | undefined;
  let outcome: 'answered' | 'gone' | undefined;

  const leave = (how: 'answered' | 'gone'): void => {
    if (outcome) return;
    outcome = how;
    clearTimeout(timer);
    onOver(how);
  };
  const isLost = (): boolean => outcome === 'gone' && stream?.resumable !== true;
  const streaming = (): EventStream => {
    clearTimeout(timer);
    if (!stream) {
      stream = openStream();
      stream.attach(exchange);
      for (const answer of answers) stream.send(answer);
    }
    return stream;
  };
  const finish = (status: number): void => {
    if (stream) stream.end();
    else if (outcome === 'gone') return;
    else if (answers.length === 0) exchange.stream({ ...STREAM_TYPE, ...headers }).end();
    else {
      const body = isList ? `[${answers.join(',')}]` : answers.join('');
      exchange.answer({ status, headers: { ...JSON_TYPE, ...headers }, body });
    }
    leave('answered');
  };
  const timer = setTimeout(streaming, options.streamAfterMilliseconds);
  exchange.onGone(() => leave('gone'));

  return {
    tell(json) {
      if (!isLost()) streaming().send(json);
    },
    settle(id, json, status = 200) {
      if (!open.delete(id)) return;
      if (json !== undefined) {
        if (stream) stream.send(json);
        else answers.push(json);
      }
      if (open.size === 0) finish(status);
    },
    // Not a getter, because V8 would create a hidden class for every object literal with a getter.
    isLost,
  };
}
