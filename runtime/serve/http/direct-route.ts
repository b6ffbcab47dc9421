import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '../../contract/errors.ts';
import type { Principal } from '../access.ts';
import type { Kernel } from '../kernel.ts';
import { requestIdFrom } from '../request-id.ts';
import type { DirectFailure } from './direct-failure.ts';
import { createHostCheck, type HostRules } from './host-rules.ts';
import { createRequestObserver } from './observe.ts';

/**
 * A POST route of an app that is answered on Node's own request and answer. Without the objects of the Fetch API it costs half
 * as much, which is only worth it where everything waits for that route (docs/decisions/0016). The app answers requests that are
 * unusual in any way, and tells all errors.
 */
export interface DirectRoute {
  /** As the app calls it. */
  readonly route: string;
  /** The whole path; its groups are what varies. */
  readonly path: RegExp;
  /** What the header `Accept` may say; anything, unless this is here. A request without it takes anything. */
  readonly accepts?: ReadonlySet<string> | undefined;
  readonly maxBodyBytes: number;
  readonly hostRules?: HostRules | undefined;
  /** Whose request it is, asked before its body is read; the kernel's keys say so unless this is here. */
  readonly signIn?: ((incoming: IncomingMessage) => Promise<Principal>) | undefined;
  /** Resolves when the answer has begun; rejects only before that. */
  readonly answer: (request: DirectRequest) => Promise<void>;
}

export interface DirectRequest {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** To be in the answer's head. */
  readonly requestId: string;
  readonly caller: Principal | undefined;
  /** What the groups of the path matched. */
  readonly parts: readonly string[];
}

/** Returns whether it takes the request; then it answers it, or calls `fail`. */
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
    { incoming, outgoing, parts }: Pick<DirectRequest, 'incoming' | 'outgoing' | 'parts'>,
    { direct, refusal }: (typeof routes)[number],
    fail: (failure: DirectFailure) => void,
  ): Promise<void> {
    const startedAt = performance.now();
    const { headers, url = '' } = incoming;
    const requestId = requestIdFrom(headers['x-request-id']);
    let caller: Principal | undefined;
    try {
      const reason = refusal?.({ url, headers: { get: (name) => headers[name]?.toString() ?? null } });
      if (reason !== undefined) throw new AppError('ForbiddenError', reason);
      caller = direct.signIn ? await direct.signIn(incoming) : kernel.access.check(headers.authorization);
      await direct.answer({ incoming, outgoing, requestId, caller, parts });
    } catch (error) {
      fail({ error, requestId, caller, startedAt });
      return;
    }
    const milliseconds = performance.now() - startedAt;
    const { statusCode: status } = outgoing;
    const { route } = direct;
    const path = withoutQuery(url);
    observe({ requestId, caller: caller?.name, method: 'POST', path, route, status, milliseconds });
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

/** As the app logs it: some clients send keys in queries. */
function withoutQuery(url: string): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}

/** Nothing that only the app knows how to handle: no web page, no other form asked for, no body that has to be measured. */
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
