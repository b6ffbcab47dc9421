import { type HttpExchange, JSON_TYPE } from '#serve/http/exchange/exchange.ts';
import type { InputCount } from '../../requests/completions/count-input.ts';

/** Set if the provider has not counted the tokens. */
const ESTIMATED_HEADER = 'X-Gateway-Estimated';

/** Answers a request for the number of tokens of a prompt. `bodyOf` makes the body in the form of the client's API. */
export function answerCount(
  exchange: HttpExchange,
  { tokens, isEstimated }: InputCount,
  bodyOf: (tokens: number) => object,
): void {
  if (isEstimated) exchange.setHeader(ESTIMATED_HEADER, 'true');
  exchange.answer({ status: 200, headers: JSON_TYPE, body: JSON.stringify(bodyOf(tokens)) });
}
