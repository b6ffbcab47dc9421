import { readJsonBytes } from '../../../../serve/http/body.ts';
import { type HttpExchange, JSON_TYPE } from '../../../../serve/http/exchange/exchange.ts';
import type { CompletionRequest } from '../../ask/completions/completion.ts';
import type { GatewayContext } from '../../context.ts';
import { type GatewayAppOptions, modelBodyOptions } from '../app-options.ts';
import { EVENT_STREAM, KEEP_ALIVE } from './event-stream.ts';

/** Answers a model request. Shutdown waits for the answer. */
export type AnswerCompletion = (
  exchange: HttpExchange,
  request: Pick<CompletionRequest, 'endpoint' | 'caller' | 'requestId'>,
) => Promise<void>;

export function createCompletionAnswer(
  { kernel, clock, completions }: GatewayContext,
  options: GatewayAppOptions,
): AnswerCompletion {
  const bodies = modelBodyOptions(options);
  return async (exchange, request) => {
    const startedAt = clock.now();
    const controller = new AbortController();
    exchange.onGone(() => controller.abort());
    const leave = kernel.lifecycle.enter((reason) => controller.abort(reason));
    try {
      const bytes = await readJsonBytes(exchange, bodies);
      const { headers, setHeader } = exchange;
      const answer = await completions.answer({
        ...request,
        bytes,
        headers,
        startedAt,
        signal: controller.signal,
        setHeader,
      });
      if (answer.kind === 'whole') {
        exchange.answer({ status: 200, headers: JSON_TYPE, body: answer.json });
        leave();
        return;
      }
      // `ended` also resolves if the client disconnects before the last byte.
      void answer.events.ended.then(leave);
      exchange.sendPieces({ 'Content-Type': EVENT_STREAM }, answer.events, KEEP_ALIVE);
    } catch (error) {
      leave();
      throw error;
    }
  };
}
