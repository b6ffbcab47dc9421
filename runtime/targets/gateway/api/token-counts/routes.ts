import { readJsonBytes } from '#serve/http/body.ts';
import { answerRequest } from '#serve/http/exchange/fetch-exchange.ts';
import { disconnectSignal } from '#serve/http/exchange/exchange.ts';
import { forwardedHeaders } from '../../requests/completions/read-request.ts';
import { createInputCounts } from '../../requests/completions/count-input.ts';
import type { GatewayContext } from '../../context.ts';
import { type GatewayAppOptions, modelBodyOptions } from '../app-options.ts';
import { type GatewayRoutes, type HttpParts, newRoutes } from '../http/parts.ts';
import { callerOf } from '../sign-in/sign-in.ts';
import { keysOf } from '#core/values/keys.ts';
import { TOKEN_COUNT_OPERATIONS } from './operations.ts';
import { answerCount } from './answer-count.ts';
import { COUNTERS } from './counters.ts';

/** Routes that count the tokens of a prompt. They cost nothing and have rate limits of their own. */
export function tokenCountRoutes(
  context: GatewayContext,
  { guards }: HttpParts,
  options: GatewayAppOptions,
): GatewayRoutes {
  const count = createInputCounts(context);
  const bodies = modelBodyOptions(options);
  const routes = newRoutes();

  for (const path of keysOf(COUNTERS)) {
    const { wire, schema, forwardedHeaders: names, answer } = COUNTERS[path];
    routes.post(path, guards.anyKey, async (c) =>
      answerRequest(c, async (exchange) => {
        const bytes = await readJsonBytes(exchange, bodies);
        const headers = forwardedHeaders(exchange.headers, names) ?? {};
        const signal = disconnectSignal(exchange);
        const counted = await count({
          wire,
          schema,
          caller: callerOf(c),
          endpoint: path,
          requestId: c.get('requestId'),
          setHeader: (name, value) => exchange.setHeader(name, value),
          bytes,
          hold: exchange.hold(),
          headers,
          signal,
        });
        answerCount(exchange, counted, answer);
      }),
    );
  }

  return { routes, operations: TOKEN_COUNT_OPERATIONS };
}
