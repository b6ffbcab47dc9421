import { AppError } from '#contract/errors.ts';
import { readJsonBytes } from '#serve/http/body.ts';
import type { HttpExchange, KeepAlive, PieceSource } from '#serve/http/exchange.ts';
import type { GatewayContext } from '../../context.ts';
import { KEEP_ALIVE_TEXT } from '../../providers/streams/stream.ts';
import type { CompletionRequest } from '../../requests/completions/completion.ts';
import { type GatewayAppOptions, modelBodyOptions } from '../app-options.ts';
import { harmlessType } from '../http/harmless-type.ts';
import { createPendingStream } from './pending-stream.ts';

/** Content type of streamed answers. */
export const EVENT_STREAM = 'text/event-stream; charset=utf-8';

/** Some proxies close connections after a longer silence. */
export const KEEP_ALIVE = { text: KEEP_ALIVE_TEXT, milliseconds: 15_000 };

/** How a stream is written to the client. */
export interface StreamForm {
  readonly contentType: string;
  readonly keepAlive: KeepAlive;
  /** Changes the events of the stream into this form. */
  readonly write: (events: PieceSource) => PieceSource;
}

const AS_EVENTS: StreamForm = {
  contentType: EVENT_STREAM,
  keepAlive: KEEP_ALIVE,
  write: (events) => events,
};

/** Answers a model request. Shutdown waits for the answer. */
type AnswerCompletion = (
  exchange: HttpExchange,
  request: Pick<CompletionRequest, 'endpoint' | 'caller' | 'requestId' | 'inPath'> & {
    /** Reads a body that is not JSON. */
    readonly readInput?: (() => Promise<Pick<CompletionRequest, 'bytes' | 'file'>>) | undefined;
  },
  /** Default: events. */
  form?: StreamForm,
) => Promise<void>;

/** Bytes that are not events have no place for comments. */
const SILENCE = { ...KEEP_ALIVE, text: '' };

export function createCompletionAnswer(
  { kernel, clock, completions }: GatewayContext,
  options: GatewayAppOptions,
): AnswerCompletion {
  const bodies = modelBodyOptions(options);
  return async (exchange, { readInput, ...request }, form = AS_EVENTS) => {
    const startedAt = clock.now();
    const controller = new AbortController();
    exchange.onGone(() => controller.abort());
    const leave = kernel.lifecycle.enter((reason) => controller.abort(reason));
    const send = (events: PieceSource): void =>
      exchange.sendPieces({ 'Content-Type': form.contentType }, form.write(events), form.keepAlive);
    const pending = createPendingStream({
      clock,
      afterMs: form.keepAlive.milliseconds,
      begin: send,
      onGone: () => controller.abort(),
    });
    try {
      const input = readInput ? await readInput() : { bytes: await readJsonBytes(exchange, bodies) };
      const { headers } = exchange;
      const hold = exchange.hold();
      const answer = await completions.answer({
        ...request,
        ...input,
        headers,
        hold,
        startedAt,
        signal: controller.signal,
        setHeader(name, value) {
          if (!pending.hasBegun()) exchange.setHeader(name, value);
        },
        onStreamPending: pending.arm,
      });
      pending.disarm();
      if (answer.kind === 'whole') {
        const { type = 'application/json', bytes: body } = answer;
        exchange.answer({ status: 200, headers: { 'content-type': harmlessType(type) }, body });
        leave();
        return;
      }
      // `ended` also resolves if the client disconnects before the last byte.
      void answer.events.ended.then(leave);
      if (pending.hasBegun()) pending.resolve(answer.events);
      else if (answer.type === undefined) send(answer.events);
      else exchange.sendPieces({ 'Content-Type': harmlessType(answer.type) }, answer.events, SILENCE);
    } catch (error) {
      pending.disarm();
      leave();
      if (!pending.hasBegun()) throw error;
      pending.fail(AppError.from(error));
    }
  };
}
