import { AppError } from '#contract/errors.ts';
import type { Leave } from '#core/limits/turn-queue.ts';
import { jsonSize } from '../shared/json-size.ts';
import { requestTraced } from '#serve/telemetry/mcp-request.ts';
import type { TraceHeaders } from '#serve/telemetry/request-trace.ts';
import type { Tracer } from '#serve/telemetry/tracer.ts';
import type { Clock } from '#platform/clock.ts';
import type { ManagedServer } from '../supervisor/managed-server.ts';
import { waitFor } from '#platform/wait-for.ts';
import {
  type Connection,
  type Requester,
  type RequestHeaders,
  SessionExpired,
} from '../upstream/connection.ts';
import { ResultTooLarge } from '../upstream/result-limit.ts';
import type { Params } from '../shapes/shape.ts';
import type { ServerSpec } from '../config/spec.ts';
import type { HeaderReader, ServerCall } from './call.ts';
import { errorType } from './error-type.ts';

export interface CallContextOptions {
  readonly clock: Clock;
  /** Maximum size of a result, in characters of JSON. */
  readonly maxResultCharacters: number;
  readonly takesTurn?: boolean | undefined;
  readonly tracer?: Tracer | undefined;
}

/** The server of a call, with the time that is left for it. */
export interface CallContext {
  readonly server: ManagedServer;
  readonly connection: () => Promise<Connection>;
  /** Returns the milliseconds until the call times out. */
  readonly timeLeft: () => number;
  readonly request: (method: string, params?: Params) => Promise<Params>;
  /** Runs work that does not count toward the time of the call, for example a question to a person. */
  readonly paused: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

/**
 * The requester of calls over the HTTP API, to which servers cannot send requests. It counts when a server sends a request,
 * because the request might belong to such a call.
 */
const HTTP_REQUESTER: Requester = {
  identity: {},
  capabilities: {},
  request: () => Promise.reject(new Error('the client does not accept requests from servers')),
};

/** Waits for a turn, does the work and ends the turn, all within the request timeout of the server. */
export async function withCallContext<Result>(
  server: ManagedServer,
  { signal, onProgress, meta, headers, requester = HTTP_REQUESTER }: ServerCall,
  { clock, maxResultCharacters, takesTurn = true, tracer }: CallContextOptions,
  work: (context: CallContext) => Promise<Result>,
): Promise<Result> {
  let deadline = clock.now() + server.spec().timeouts.request;
  const timeLeft = (): number => Math.max(0, Math.ceil(deadline - clock.now()));
  const connection = (): Promise<Connection> => server.connection({ timeoutMs: timeLeft(), signal });
  const leave = takesTurn ? await turnOf(server, { clock, timeoutMs: timeLeft(), signal }) : undefined;
  const request = async (
    method: string,
    params: Params | undefined,
    _meta: Params | undefined,
    traceHeaders: TraceHeaders | undefined,
  ): Promise<Params> => {
    const sent = _meta === undefined ? params : { ...params, _meta };
    const send = (to: Connection): Promise<Params> =>
      to.request(method, sent, {
        timeoutMs: timeLeft(),
        signal,
        onProgress,
        requester,
        headers: { ...passedHeaders(server.spec(), headers), ...traceHeaders },
      });
    // Requested each time, because a reload can replace the connection.
    const open = await connection();
    let result: Params;
    try {
      result = await send(open);
    } catch (error) {
      if (!(error instanceof SessionExpired)) throw error;
      await open.closed;
      result = await send(await connection());
    }
    if (jsonSize(result, maxResultCharacters) <= maxResultCharacters) return result;
    throw new ResultTooLarge(maxResultCharacters);
  };
  try {
    return await work({
      server,
      connection,
      timeLeft,
      request: (method, params) =>
        requestTraced(
          tracer,
          { method, params: params ?? {}, server: server.name, meta, errorType },
          (sent, traceHeaders) => request(method, params, sent, traceHeaders),
        ),
      async paused(pausedWork) {
        const startedAt = clock.now();
        try {
          return await pausedWork();
        } finally {
          deadline += clock.now() - startedAt;
        }
      },
    });
  } finally {
    leave?.();
  }
}

/** Returns the headers of the client that the configuration passes on to a server. */
function passedHeaders({ launch }: ServerSpec, headers: HeaderReader | undefined): RequestHeaders {
  const names = launch.kind === 'remote' ? (launch.passHeaders ?? []) : [];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers?.get(name) ?? null;
      return value === null ? [] : [[name, value]];
    }),
  );
}

async function turnOf(
  { name, turns }: ManagedServer,
  { clock, timeoutMs, signal }: { clock: Clock; timeoutMs: number; signal: AbortSignal | undefined },
): Promise<Leave> {
  const turn = turns.ask();
  if (turn.kind === 'granted') return turn.leave;
  if (turn.kind === 'refused') {
    throw new AppError(
      'OverloadedError',
      `server busy: ${name}: the maximum of ${turns.running} running and ${turns.waiting} queued calls is reached; retry in 1 s`,
      { retryAfterSeconds: 1 },
    );
  }
  const late = (): AppError =>
    new AppError(
      'TimeoutError',
      `server busy: ${name}: the call was queued for ${timeoutMs} ms; retry in 1 s`,
      { retryAfterSeconds: 1 },
    );
  try {
    await waitFor(turn.granted, { clock, timeoutMs, signal, late });
    return turn.leave;
  } catch (error) {
    turn.leave();
    throw error;
  }
}
