import { readJsonBytes } from '../../../../serve/http/body.ts';
import { answerRequest } from '../../../../serve/http/exchange/fetch-exchange.ts';
import { disconnectSignal, JSON_TYPE } from '../../../../serve/http/exchange/exchange.ts';
import { createInputCounts } from '../../ask/completions/count-input.ts';
import type { GatewayContext } from '../../context.ts';
import { type GatewayAppOptions, modelBodyOptions } from '../app-options.ts';
import { type GatewayRoutes, type HttpParts, newRoutes } from '../http/parts.ts';
import { callerOf } from '../sign-in/sign-in.ts';
import { keysOf } from '../../../../core/values/keys.ts';
import { TOKEN_COUNT_OPERATIONS } from './operations.ts';
import { COUNTERS } from './counters.ts';

/** Set if the provider has not counted the tokens. */
const ESTIMATED_HEADER = 'X-Gateway-Estimated';

/** Routes that count the tokens of a prompt. They cost nothing and do not count for rate limits. */
export function tokenCountRoutes(
  context: GatewayContext,
  { guards }: HttpParts,
  options: GatewayAppOptions,
): GatewayRoutes {
  const count = createInputCounts(context.state, context.models, context.tokenCounter);
  const bodies = modelBodyOptions(options);
  const routes = newRoutes();

  for (const path of keysOf(COUNTERS)) {
    const { wire, schema, forwardedHeaders, answer } = COUNTERS[path];
    routes.post(path, guards.anyKey, async (c) =>
      answerRequest(c, async (exchange) => {
        const bytes = await readJsonBytes(exchange, bodies);
        const headers = Object.fromEntries(
          forwardedHeaders.flatMap((name) => {
            const value = exchange.headers.get(name);
            return value ? [[name, value] as const] : [];
          }),
        );
        const signal = disconnectSignal(exchange);
        const counted = await count({ wire, schema, caller: callerOf(c), bytes, headers, signal });
        if (counted.isEstimated) exchange.setHeader(ESTIMATED_HEADER, 'true');
        exchange.answer({ status: 200, headers: JSON_TYPE, body: JSON.stringify(answer(counted.tokens)) });
      }),
    );
  }

  return { routes, operations: TOKEN_COUNT_OPERATIONS };
}
