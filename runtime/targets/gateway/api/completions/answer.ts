import { AppError } from '#contract/errors.ts';
import { readJsonBytes } from '#serve/http/body.ts';
import type { HttpExchange } from '#serve/http/exchange/exchange.ts';
import type { PieceSource } from '#serve/http/exchange/piece-source.ts';
import type { CompletionRequest } from '../../requests/completions/completion.ts';
import type { GatewayContext } from '../../context.ts';
import { type GatewayAppOptions, modelBodyOptions } from '../app-options.ts';
import { harmlessType } from '../http/harmless-type.ts';
import { KEEP_ALIVE } from './event-stream.ts';
import { createPendingStream } from './pending-stream.ts';
import { AS_EVENTS, type StreamForm } from './stream-form.ts';

/** Answers a model request. Shutdown waits for the answer. */
export type AnswerCompletion = (
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
