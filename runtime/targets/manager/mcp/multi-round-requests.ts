import { randomUUID } from 'node:crypto';
import { canonicalJson } from '../shared/canonical-json.ts';
import { isObject } from '#core/json/is-object.ts';
import { sha256 } from '#platform/sha256.ts';
import { RPC_CODE, RpcError } from '#serve/mcp/rpc-error.ts';
import type { StatelessCall } from '#serve/mcp/stateless-http.ts';
import type { Requester } from '../upstream/connection.ts';
import type { ShapeOfParams } from '../shapes/shape.ts';
import { INPUT_TIMEOUT_MS, isSameClient, type McpClient } from './client.ts';
import { AppError } from '#contract/errors.ts';

type Call = StatelessCall<McpClient>;

/** The outcome of one round: the call's result, or the input that the client must send with the next request. */
type Round = { readonly result: ShapeOfParams } | { readonly inputRequired: ShapeOfParams };

/**
 * Calls that can take several rounds, because without a session, a response is the only way to
 * request input from a client.
 */
export interface MultiRoundRequests {
  /** Handles a request. `work` runs once per call, and continues across the call's requests. */
  readonly answer: (call: Call, work: Work) => Promise<Round>;
  /** Cancels all calls that are waiting for their clients. */
  readonly close: () => void;
}

type Work = (call: Call, requester: Requester) => Promise<ShapeOfParams>;

interface MultiRoundCall {
  readonly outcome: Promise<Round>;
  readonly inputs: InputRequests;
  readonly stop: AbortController;
  /** The call's current request. */
  current: Call | undefined;
}

interface Parked {
  readonly call: MultiRoundCall;
  readonly opener: McpClient;
  /** Hash of the method and the parameters. They must not change between rounds. */
  readonly digest: string;
  readonly timer: NodeJS.Timeout;
}

/** Maximum number of calls waiting for their clients. When it is exceeded, the oldest one is canceled. */
const MAX_PARKED = 1000;

/** @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr */
export function createMultiRoundRequests(inputTimeoutMs = INPUT_TIMEOUT_MS): MultiRoundRequests {
  /** The waiting calls by their `requestState`, which is only known to the client. */
  const parked = new Map<string, Parked>();

  const take = (state: string): MultiRoundCall | undefined => {
    const found = parked.get(state);
    clearTimeout(found?.timer);
    parked.delete(state);
    return found?.call;
  };
  const cancel = (state: string): void => {
    const call = take(state);
    call?.inputs.end();
    call?.stop.abort();
  };
  const park = (call: MultiRoundCall, request: Call): Round => {
    const requestState = randomUUID();
    const timer = setTimeout(cancel, inputTimeoutMs, requestState).unref();
    parked.set(requestState, { call, opener: request.client, digest: digestOf(request), timer });
    const [oldest] = parked.keys();
    if (oldest !== undefined && parked.size > MAX_PARKED) cancel(oldest);
    return { inputRequired: { inputRequests: call.inputs.open(), requestState } };
  };
  const resume = (state: unknown, request: Call): MultiRoundCall => {
    const key = String(state);
    const found = parked.get(key);
    if (!found || !isSameClient(found.opener, request.client) || found.digest !== digestOf(request)) {
      const message =
        'Unknown or expired `requestState`, or its parameters differ. Retry without `requestState`.';
      throw new RpcError(RPC_CODE.invalidParams, message);
    }
    take(key);
    const { inputResponses } = request.params;
    found.call.inputs.respond(isObject(inputResponses) ? inputResponses : {});
    return found.call;
  };

  return {
    async answer(request, work) {
      const { requestState } = request.params;
      const call = requestState === undefined ? startCall(request, work) : resume(requestState, request);
      const onAbort = (): void => call.stop.abort();
      call.current = request;
      request.signal.addEventListener('abort', onAbort, { once: true });
      try {
        return (await Promise.race([call.outcome, call.inputs.requested()])) ?? park(call, request);
      } finally {
        call.current = undefined;
        request.signal.removeEventListener('abort', onAbort);
      }
    },
    close() {
      for (const state of parked.keys()) cancel(state);
    },
  };
}

function startCall(request: Call, work: Work): MultiRoundCall {
  const stop = new AbortController();
  const inputs = createInputRequests();
  const requester = { identity: stop, capabilities: request.capabilities, request: inputs.request };
  const notify: Call['notify'] = (method, params) => {
    const { current } = call;
    if (params['progressToken'] === undefined) current?.notify(method, params);
    // Each request has its own progress token or none.
    else if (current?.progressToken !== undefined) {
      current.notify(method, { ...params, progressToken: current.progressToken });
    }
  };
  const outcome = work({ ...request, signal: stop.signal, notify }, requester).then((result) => ({ result }));
  // A failure is reported to the next request. If there is no further request, the rejection must
  // not count as unhandled.
  outcome.catch(() => undefined);
  const call: MultiRoundCall = { outcome, inputs, stop, current: undefined };
  return call;
}

function digestOf({ method, params }: Call): string {
  const own = { ...params, _meta: undefined, inputResponses: undefined, requestState: undefined };
  return sha256(Buffer.from(canonicalJson([method, own])));
}

/** Requests from the server during one call that are waiting for responses from the client. */
interface InputRequests {
  readonly request: Requester['request'];
  /** Resolves when there is an open request. */
  readonly requested: () => Promise<void>;
  /** Returns the open requests by their keys. */
  readonly open: () => ShapeOfParams;
  /** Resolves requests with the client's results for their keys. A request without a result stays open. */
  readonly respond: (results: ShapeOfParams) => void;
  /** Rejects all open and later requests. */
  readonly end: () => void;
}

interface OpenRequest {
  readonly request: ShapeOfParams;
  readonly resolve: (result: ShapeOfParams) => void;
  readonly reject: (error: Error) => void;
}

function createInputRequests(): InputRequests {
  const waiting = new Map<string, OpenRequest>();
  let lastKey = 0;
  let ended = false;
  let wake = (): void => undefined;

  return {
    async request(method, params, signal) {
      signal.throwIfAborted();
      if (ended) throw new AppError('CancelledError', 'Client disconnected.');
      lastKey += 1;
      const key = `request-${lastKey}`;
      const { promise, resolve, reject } = Promise.withResolvers<ShapeOfParams>();
      const onAbort = (): void => reject(new AppError('CancelledError', 'The request was canceled.'));
      signal.addEventListener('abort', onAbort, { once: true });
      waiting.set(key, { request: { method, ...(params && { params }) }, resolve, reject });
      wake();
      try {
        return await promise;
      } finally {
        waiting.delete(key);
        signal.removeEventListener('abort', onAbort);
      }
    },
    async requested() {
      if (waiting.size === 0) await new Promise<void>((resolve) => (wake = resolve));
      // Requests that a server sends together are passed to the client together.
      await new Promise(setImmediate);
    },
    open: () => Object.fromEntries([...waiting].map(([key, { request }]) => [key, request])),
    respond(results) {
      for (const [key, { resolve }] of waiting) {
        const result = results[key];
        if (!isObject(result)) continue;
        waiting.delete(key);
        resolve(result);
      }
    },
    end() {
      ended = true;
      for (const { reject } of waiting.values()) {
        reject(new AppError('CancelledError', 'The client did not respond.'));
      }
    },
  };
}
