import { AppError } from '../../../../contract/errors.ts';
import { readJsonBytes } from '../../../../serve/http/body.ts';
import { type HttpExchange, JSON_TYPE } from '../../../../serve/http/exchange/exchange.ts';
import type { PieceSource } from '../../../../serve/http/exchange/piece-source.ts';
import type { CompletionRequest } from '../../ask/completions/completion.ts';
import type { GatewayContext } from '../../context.ts';
import { type GatewayAppOptions, modelBodyOptions } from '../app-options.ts';
import { createPendingStream } from './pending-stream.ts';
import { AS_EVENTS, type StreamForm } from './stream-form.ts';

/** Answers a model request. Shutdown waits for the answer. */
export type AnswerCompletion = (
  exchange: HttpExchange,
  request: Pick<CompletionRequest, 'endpoint' | 'caller' | 'requestId' | 'inPath'>,
  /** Default: events. */
  form?: StreamForm,
) => Promise<void>;

export function createCompletionAnswer(
  { kernel, clock, completions }: GatewayContext,
  options: GatewayAppOptions,
): AnswerCompletion {
  const bodies = modelBodyOptions(options);
  return async (exchange, request, form = AS_EVENTS) => {
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
      const bytes = await readJsonBytes(exchange, bodies);
      const { headers } = exchange;
      const answer = await completions.answer({
        ...request,
        bytes,
        headers,
        startedAt,
        signal: controller.signal,
        setHeader(name, value) {
          if (!pending.hasBegun()) exchange.setHeader(name, value);
        },
        onStreamPending: pending.arm,
      });
      pending.disarm();
      if (answer.kind === 'whole') {
        exchange.answer({ status: 200, headers: JSON_TYPE, body: answer.json });
        leave();
        return;
      }
      // `ended` also resolves if the client disconnects before the last byte.
      void answer.events.ended.then(leave);
      if (pending.hasBegun()) pending.resolve(answer.events);
      else send(answer.events);
    } catch (error) {
      pending.disarm();
      leave();
      if (!pending.hasBegun()) throw error;
      pending.fail(AppError.from(error));
    }
  };
}
