import { randomUUID } from 'node:crypto';
import { canonicalJson } from '../shared/canonical-json.ts';
import { isObject } from '../../../core/json/is-object.ts';
import { sha256 } from '../../../platform/sha256.ts';
import { RPC_CODE, RpcError } from '../../../serve/mcp/rpc-error.ts';
import type { StatelessCall } from '../../../serve/mcp/stateless-http.ts';
import type { Asker } from '../upstream/connection.ts';
import type { Params } from '../shapes/shape.ts';
import { ASK_MILLISECONDS, type McpClient, mayGoOn } from './client.ts';
import { createQuestions, type Questions } from './questions.ts';

type Call = StatelessCall<McpClient>;

/** A request has its result, or its client is to send it again with what a server wants to know. */
type Round = { readonly result: Params } | { readonly inputRequired: Params };

/** Calls that may take several requests, because the only way to ask their client is to answer. */
export interface Rounds {
  /** `work` is done once for all requests of a call, and outlasts those that are answered with questions. */
  readonly answer: (call: Call, work: Work) => Promise<Round>;
  /** Gives up the calls that wait for their client. */
  readonly close: () => void;
}

type Work = (call: Call, asker: Asker) => Promise<Params>;

interface LongCall {
  readonly outcome: Promise<Round>;
  readonly questions: Questions;
  readonly stop: AbortController;
  /** The request that is being answered now. */
  current: Call | undefined;
}

interface Parked {
  readonly call: LongCall;
  readonly opener: McpClient;
  /** What the same request has to have. */
  readonly digest: string;
  readonly timer: NodeJS.Timeout;
}

/** Then the one that waits for longest is given up. */
const MOST_PARKED = 1000;

/** @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr */
export function createRounds(askMilliseconds = ASK_MILLISECONDS): Rounds {
  /** By the `requestState` that only the client knows. */
  const parked = new Map<string, Parked>();

  const take = (state: string): LongCall | undefined => {
    const found = parked.get(state);
    clearTimeout(found?.timer);
    parked.delete(state);
    return found?.call;
  };
  const giveUp = (state: string): void => {
    const call = take(state);
    call?.questions.end();
    call?.stop.abort();
  };
  const park = (call: LongCall, request: Call): Round => {
    const requestState = randomUUID();
    const timer = setTimeout(giveUp, askMilliseconds, requestState).unref();
    parked.set(requestState, { call, opener: request.client, digest: digestOf(request), timer });
    const [oldest] = parked.keys();
    if (oldest !== undefined && parked.size > MOST_PARKED) giveUp(oldest);
    return { inputRequired: { inputRequests: call.questions.open(), requestState } };
  };
  const goOn = (state: unknown, request: Call): LongCall => {
    const key = String(state);
    const found = parked.get(key);
    if (!found || !mayGoOn(found.opener, request.client) || found.digest !== digestOf(request)) {
      const message =
        'No call of yours waits under this `requestState`: it took too long, went on already, or had other parameters. Begin anew, without `requestState`.';
      throw new RpcError(RPC_CODE.invalidParams, message);
    }
    take(key);
    const { inputResponses } = request.params;
    found.call.questions.answer(isObject(inputResponses) ? inputResponses : {});
    return found.call;
  };

  return {
    async answer(request, work) {
      const { requestState } = request.params;
      const call = requestState === undefined ? begin(request, work) : goOn(requestState, request);
      const leave = (): void => call.stop.abort();
      call.current = request;
      request.signal.addEventListener('abort', leave, { once: true });
      try {
        return (await Promise.race([call.outcome, call.questions.asked()])) ?? park(call, request);
      } finally {
        call.current = undefined;
        request.signal.removeEventListener('abort', leave);
      }
    },
    close() {
      for (const state of parked.keys()) giveUp(state);
    },
  };
}

function begin(request: Call, work: Work): LongCall {
  const stop = new AbortController();
  const questions = createQuestions();
  const asker = { client: stop, capabilities: request.capabilities, ask: questions.ask };
  const notify: Call['notify'] = (method, params) => {
    const { current } = call;
    if (params['progressToken'] === undefined) current?.notify(method, params);
    // Each request has a token of its own, or none.
    else if (current?.progressToken !== undefined) {
      current.notify(method, { ...params, progressToken: current.progressToken });
    }
  };
  const outcome = work({ ...request, signal: stop.signal, notify }, asker).then((result) => ({ result }));
  // Whoever goes on with it hears of a failure; it may be that nobody does.
  outcome.catch(() => undefined);
  const call: LongCall = { outcome, questions, stop, current: undefined };
  return call;
}

function digestOf({ method, params }: Call): string {
  const own = { ...params, _meta: undefined, inputResponses: undefined, requestState: undefined };
  return sha256(Buffer.from(canonicalJson([method, own])));
}
