import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '../../contract/errors.ts';
import type { Principal } from '../access.ts';
import type { Kernel } from '../kernel.ts';
import { REQUEST_ID_HEADER, requestIdFrom } from '../request-id.ts';
import type { DirectFailure } from './direct-failure.ts';
import { createHostCheck, type HostRules } from './host-rules.ts';
import { createRequestObserver } from './observe.ts';
import { readIncoming } from './read-incoming.ts';

/**
 * One POST route of an app that is answered on Node's own request and answer. Without the objects of the Fetch API it costs half
 * as much, which is only worth it where everything waits for that route (docs/decisions/0016). The app answers requests that are
 * unusual in any way, and tells all errors.
 */
export interface DirectRoute {
  /** As the app calls it. */
  readonly route: string;
  /** The whole path; its groups are what varies. */
  readonly path: RegExp;
  readonly maxBodyBytes: number;
  readonly bodyTimeoutMs: number;
  readonly hostRules: HostRules;
  /** Resolves with the answer's JSON. */
  readonly answer: (request: DirectRequest) => Promise<string>;
}

interface DirectRequest {
  readonly requestId: string;
  readonly caller: Principal | undefined;
  /** What the groups of the path matched. */
  readonly parts: readonly string[];
  readonly body: Uint8Array;
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal;
}

/** Returns whether it takes the request; then it answers it, or calls `fail`. */
export type DirectListener = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  fail: (failure: DirectFailure) => void,
) => boolean;

export function createDirectListener(kernel: Kernel, direct: DirectRoute): DirectListener {
  const observe = createRequestObserver(kernel, new Set());
  const refusal = createHostCheck(direct.hostRules);

  async function take(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    parts: readonly string[],
    fail: (failure: DirectFailure) => void,
  ): Promise<void> {
    const startedAt = performance.now();
    const { headers, url: path = '' } = incoming;
    const requestId = requestIdFrom(headers['x-request-id']);
    outgoing.setHeader(REQUEST_ID_HEADER, requestId);
    const leaving = new AbortController();
    outgoing.once('close', () => {
      if (!outgoing.writableFinished) leaving.abort();
    });
    let caller: Principal | undefined;
    try {
      const reason = refusal({ url: path, headers: { get: (name) => headers[name]?.toString() ?? null } });
      if (reason !== undefined) throw new AppError('ForbiddenError', reason);
      caller = kernel.access.check(headers.authorization);
      const leave = kernel.lifecycle.enter();
      let json: string;
      try {
        const body = await readIncoming(incoming, direct.bodyTimeoutMs);
        json = await direct.answer({ requestId, caller, parts, body, signal: leaving.signal });
      } finally {
        leave();
      }
      outgoing.writeHead(200, {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(json),
      });
      outgoing.end(json);
    } catch (error) {
      fail({ error, requestId, caller, startedAt });
      return;
    }
    const milliseconds = performance.now() - startedAt;
    const { route } = direct;
    observe({ requestId, caller: caller?.name, method: 'POST', path, route, status: 200, milliseconds });
  }

  return (incoming, outgoing, fail) => {
    if (!isPlain(incoming, direct.maxBodyBytes)) return false;
    const [, ...parts] = direct.path.exec(incoming.url ?? '') ?? [];
    if (parts.length === 0) return false;
    void take(incoming, outgoing, parts, fail);
    return true;
  };
}

/** Nothing that only the app knows how to handle: no web page, no other form asked for, no body that has to be measured. */
function isPlain({ method, headers }: IncomingMessage, maxBodyBytes: number): boolean {
  return (
    method === 'POST' &&
    headers['content-type'] === 'application/json' &&
    Number(headers['content-length']) <= maxBodyBytes &&
    headers.origin === undefined &&
    headers.host !== undefined &&
    headers.expect === undefined &&
    headers['content-encoding'] === undefined &&
    ANY_JSON.has(headers.accept ?? '*/*')
  );
}

const ANY_JSON: ReadonlySet<string> = new Set(['*/*', 'application/json', 'application/json, */*']);
