import { readJsonBytes } from '../../../../serve/http/body.ts';
import { type HttpExchange, JSON_TYPE } from '../../../../serve/http/exchange/exchange.ts';
import type { CompletionRequest } from '../../ask/completions/completion.ts';
import type { GatewayContext } from '../../context.ts';
import { type GatewayAppOptions, modelBodies } from '../app-options.ts';
import { EVENT_STREAM, KEEP_ALIVE } from './event-stream.ts';

/** Answers a request to a model, whichever way it came in; the server waits for the answer before it stops. */
export type AnswerCompletion = (
  exchange: HttpExchange,
  request: Pick<CompletionRequest, 'endpoint' | 'caller' | 'requestId'>,
) => Promise<void>;

export function createCompletionAnswer(
  { kernel, clock, completions }: GatewayContext,
  options: GatewayAppOptions,
): AnswerCompletion {
  const bodies = modelBodies(options);
  return async (exchange, request) => {
    const startedAt = clock.now();
    const cut = new AbortController();
    exchange.onGone(() => cut.abort());
    const leave = kernel.lifecycle.enter((reason) => cut.abort(reason));
    try {
      const bytes = await readJsonBytes(exchange, bodies);
      const { headers, setHeader } = exchange;
      const answer = await completions.answer({
        ...request,
        bytes,
        headers,
        startedAt,
        signal: cut.signal,
        setHeader,
      });
      if (answer.kind === 'whole') {
        exchange.answer({ status: 200, headers: JSON_TYPE, body: answer.json });
        leave();
        return;
      }
      // The stream also ends when the client leaves before its last byte.
      void answer.events.ended.then(leave);
      exchange.sendPieces({ 'Content-Type': EVENT_STREAM }, answer.events, KEEP_ALIVE);
    } catch (error) {
      leave();
      throw error;
    }
  };
}
