import type { Context, MiddlewareHandler } from 'hono';
import { HEALTH_PATHS } from '../../../serve/http/health.ts';
import { readBytes } from '../../../serve/http/read-bytes.ts';
import type { ShellEnv } from '../../../serve/http/request-id.ts';
import { MAX_PLUGIN_BODY_BYTES } from './exchange.ts';
import type { Plugins } from './plugins.ts';
import { applyToRequest, requestOf } from './request-view.ts';
import { changeAnswer, ownAnswer, seeResponse } from './response-view.ts';
import { membersOf } from '../../../core/json/members-of.ts';

export interface PluginMiddlewareOptions {
  /** Answers a request from the beginning, for one that a plugin sends to another path: the app's own `fetch`. */
  readonly dispatch: (request: Request, env: object) => Response | Promise<Response>;
  /** How long the body of a request may take to arrive. Default 5 s. */
  readonly bodyTimeoutMs?: number | undefined;
}

const UNSEEN_PATHS: ReadonlySet<string> = new Set([...HEALTH_PATHS, '/metrics']);
const FAILURE_HEADER = 'Mcpd-Error-Type';
const FIVE_SECONDS = 5000;

/**
 * Lets plugins look at requests and answers. It goes before the check of API keys: then plugins that authenticate see what
 * callers send and answer them in their own words, and those that record see who was refused. Without plugins it costs nothing.
 */
export function pluginMiddleware(
  plugins: Plugins,
  { dispatch, bodyTimeoutMs = FIVE_SECONDS }: PluginMiddlewareOptions,
): MiddlewareHandler<ShellEnv> {
  const [seesRequests, seesResponses] = [plugins.has('request'), plugins.has('response')];
  if (!seesRequests && !seesResponses) return (_c, next) => next();
  const rerouted = new WeakSet<Request>();

  return async (c, next) => {
    if (UNSEEN_PATHS.has(c.req.path) || rerouted.has(c.req.raw)) return next();
    // What came before set headers for whichever answer: those of other origins, the request's id.
    const common = new Headers(c.res.headers);
    if (seesRequests) {
      const outcome = await passRequest(c, plugins, bodyTimeoutMs);
      if (outcome.answer) return outcome.answer;
      c.req.raw = outcome.request;
      c.req.bodyCache = {};
      if (outcome.reroute) {
        rerouted.add(outcome.request);
        c.res = await dispatch(outcome.request, membersOf(c.env));
      } else await next();
    } else await next();
    if (seesResponses) await passResponse(c, plugins, common);
    return undefined;
  };
}

type Outcome =
  | { readonly answer: Response }
  | { readonly answer?: never; readonly request: Request; readonly reroute: boolean };

async function passRequest(c: Context<ShellEnv>, plugins: Plugins, timeoutMs: number): Promise<Outcome> {
  const { raw } = c.req;
  // Taken before the body is read, while it still hears of a client that leaves.
  const { signal } = raw;
  const shown = requestOf(c, await readBytes(c, MAX_PLUGIN_BODY_BYTES, { timeoutMs, tooLargeMessage }));
  const verdict = await plugins.request(shown, c.get('requestId')).catch((error: unknown) => {
    c.header(FAILURE_HEADER, 'request-pipeline-failure');
    throw error;
  });
  if ('refusal' in verdict) return { answer: ownAnswer(verdict.refusal, 200) };
  const { message: wanted } = verdict;
  const request = applyToRequest(raw, { shown, wanted, signal });
  return { request, reroute: wanted.method !== shown.method || wanted.path !== shown.path };
}

async function passResponse(c: Context<ShellEnv>, plugins: Plugins, common: Headers): Promise<void> {
  try {
    const { answer, shown } = await seeResponse(c.res);
    if (!shown) {
      replaceAnswer(c, answer);
      plugins.letUnseen(c.get('requestId'));
      return;
    }
    const verdict = await plugins.response(shown, c.get('requestId'));
    if ('message' in verdict) replaceAnswer(c, changeAnswer(answer, shown, verdict.message));
    else {
      await answer.body?.cancel();
      replaceAnswer(c, ownAnswer(verdict.refusal, answer.status), common);
    }
  } catch (error) {
    // Whoever reads it already will see its end.
    await c.res.body?.cancel().catch(() => undefined);
    // Nothing of what was answered may be left in the answer about the failure.
    replaceAnswer(c, new Response(null), common);
    c.header(FAILURE_HEADER, 'response-pipeline-failure');
    throw error;
  }
}

/** Instead of the answer there is, and not mixed with its headers as a plain assignment would be. */
function replaceAnswer(c: Context, answer: Response, common?: Headers): void {
  c.res = undefined;
  c.res = answer;
  for (const [name, value] of common ?? []) c.header(name, value);
}

const tooLargeMessage = (limit: number): string => `request body is too large limit=${limit} bytes`;
