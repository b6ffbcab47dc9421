import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '#contract/errors.ts';
import { authenticate, type Principal } from '../access.ts';
import type { Kernel } from '../kernel.ts';
import { REQUEST_ID_HEADER, requestIdFrom, type DirectFailure } from './request-state.ts';
import { type HttpExchange, answerIncoming } from './exchange.ts';
import { holdOfResponse } from '../request-memory.ts';
import { nodeHeaders } from '../telemetry/request-trace.ts';
import { createHostCheck, type HostRules } from './request-head.ts';
import { createRequestObserver } from './observe.ts';

/**
 * A POST route that is answered on Node's own request and response. Without the Fetch API objects it costs half as much, which
 * is only worth it for the busiest routes (docs/decisions/0016). The app answers unusual requests and all errors.
 */
export interface DirectRoute {
  /** The route's pattern in the app. */
  readonly route: string;
  /** Pattern of the whole path; its groups are the parameters. */
  readonly path: RegExp;
  /** Allowed values of the `Accept` header; undefined allows any. A request without the header accepts anything. */
  readonly accepts?: ReadonlySet<string> | undefined;
  readonly maxBodyBytes: number;
  readonly hostRules?: HostRules | undefined;
  /** Authenticates a request before its body is read. Default: the keys of the kernel. */
  readonly signIn?: ((headers: HttpExchange['headers']) => Promise<Principal>) | undefined;
  /** Names and values of headers of every response, alternating. */
  readonly head?: readonly string[] | undefined;
  /** Answers the request. Resolves when the response has started; rejects only before that. */
  readonly answer: (request: DirectRequest) => Promise<void>;
}

export interface DirectRequest {
  readonly exchange: HttpExchange;
  readonly requestId: string;
  readonly caller: Principal | undefined;
  /** Values of the path's groups. */
  readonly parts: readonly string[];
}

interface DirectMatch extends Pick<DirectRequest, 'parts'> {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

/** Returns whether it handles the request; if so, it answers it or calls `fail`. */
export type DirectListener = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  fail: (failure: DirectFailure) => void,
) => boolean;

export function createDirectListener(kernel: Kernel, all: readonly DirectRoute[]): DirectListener {
  const observe = createRequestObserver(kernel, new Set());
  const routes = all.map((direct) => ({
    direct,
    refusal: direct.hostRules && createHostCheck(direct.hostRules),
  }));

  async function take(
    { incoming, outgoing, parts }: DirectMatch,
    { direct, refusal }: (typeof routes)[number],
    fail: (failure: DirectFailure) => void,
  ): Promise<void> {
    const startedAt = performance.now();
    const { headers, url = '' } = incoming;
    const requestId = requestIdFrom(headers['x-request-id']);
    let caller: Principal | undefined;
    const span = kernel.tracer?.startServer(nodeHeaders(headers));
    const answer = async (): Promise<void> => {
      const head = [REQUEST_ID_HEADER, requestId, ...(direct.head ?? [])];
      const hold = holdOfResponse(kernel.requestMemory, outgoing, () => caller?.name);
      await answerIncoming({ incoming, outgoing, head, hold }, async (exchange) => {
        const reason = refusal?.(exchange);
        if (reason !== undefined) throw new AppError('ForbiddenError', reason);
        caller = direct.signIn
          ? await direct.signIn(exchange.headers)
          : await authenticate(kernel.access, headers.authorization);
        await direct.answer({ exchange, requestId, caller, parts });
      });
    };
    try {
      await (span ? span.run(answer) : answer());
    } catch (error) {
      fail({ error, requestId, caller, startedAt, span });
      return;
    }
    const milliseconds = performance.now() - startedAt;
    const { statusCode: status } = outgoing;
    const { route } = direct;
    const path = withoutQuery(url);
    observe({ requestId, caller: caller?.name, method: 'POST', path, route, status, milliseconds, span });
  }

  return (incoming, outgoing, fail) => {
    for (const route of routes) {
      const match = route.direct.path.exec(incoming.url ?? '');
      if (!match) continue;
      if (!isPlain(incoming, route.direct)) return false;
      void take({ incoming, outgoing, parts: match.slice(1) }, route, fail);
      return true;
    }
    return false;
  };
}

/** The path as the app logs it, without the query, because some clients send keys in queries. */
function withoutQuery(url: string): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}

/** Whether the app's special handling is not needed: no web page, no other response format, and no body of unknown length. */
function isPlain({ method, headers }: IncomingMessage, { maxBodyBytes, accepts }: DirectRoute): boolean {
  return (
    method === 'POST' &&
    headers['content-type'] === 'application/json' &&
    Number(headers['content-length']) <= maxBodyBytes &&
    headers.origin === undefined &&
    headers.host !== undefined &&
    headers.expect === undefined &&
    headers['content-encoding'] === undefined &&
    (accepts === undefined || accepts.has(headers.accept ?? '*/*'))
  );
}
