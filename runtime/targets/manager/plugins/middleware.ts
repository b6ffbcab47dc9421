import type { Context, MiddlewareHandler } from 'hono';
import { HEALTH_PATHS } from '#serve/http/health.ts';
import { readBytes } from '#serve/http/read-bytes.ts';
import type { ShellEnv } from '#serve/http/request-id.ts';
import { MAX_PLUGIN_BODY_BYTES } from './exchange.ts';
import type { Plugins } from './plugins.ts';
import { applyToRequest, requestOf } from './request-view.ts';
import { applyToResponse, pluginResponse, readResponse } from './response-view.ts';
import { membersOf } from '#core/json/members-of.ts';

export interface PluginMiddlewareOptions {
  /** Handles a request from the start, if a plugin changes its path: `fetch` of the app. */
  readonly dispatch: (request: Request, env: object) => Response | Promise<Response>;
  /** Timeout for the body of a request. Default 5 s. */
  readonly bodyTimeoutMs?: number | undefined;
}

const SKIPPED_PATHS: ReadonlySet<string> = new Set([...HEALTH_PATHS, '/metrics']);
const FAILURE_HEADER = 'Mcpd-Error-Type';
const FIVE_SECONDS = 5000;

/**
 * Passes requests and responses through plugins. It runs before the check of API keys, so that authentication plugins get the
 * original requests and can return their own errors, and audit plugins see rejected requests. Without plugins, it does nothing.
 */
export function pluginMiddleware(
  plugins: Plugins,
  { dispatch, bodyTimeoutMs = FIVE_SECONDS }: PluginMiddlewareOptions,
): MiddlewareHandler<ShellEnv> {
  const [seesRequests, seesResponses] = [plugins.has('request'), plugins.has('response')];
  if (!seesRequests && !seesResponses) return (_c, next) => next();
  const rerouted = new WeakSet<Request>();

  return async (c, next) => {
    if (SKIPPED_PATHS.has(c.req.path) || rerouted.has(c.req.raw)) return next();
    // Earlier middleware has set headers for any response: those of CORS, and the request ID.
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
  // Read before the body, because the signal does not report a disconnect afterwards.
  const { signal } = raw;
  const original = requestOf(c, await readBytes(c, MAX_PLUGIN_BODY_BYTES, { timeoutMs, tooLargeMessage }));
  const outcome = await plugins.request(original, c.get('requestId')).catch((error: unknown) => {
    c.header(FAILURE_HEADER, 'request-pipeline-failure');
    throw error;
  });
  if ('rejection' in outcome) return { answer: pluginResponse(outcome.rejection, 200) };
  const { message: changed } = outcome;
  const request = applyToRequest(raw, { original, changed, signal });
  return { request, reroute: changed.method !== original.method || changed.path !== original.path };
}

async function passResponse(c: Context<ShellEnv>, plugins: Plugins, common: Headers): Promise<void> {
  try {
    const { response, view } = await readResponse(c.res);
    if (!view) {
      replaceResponse(c, response);
      plugins.skipResponse(c.get('requestId'));
      return;
    }
    const outcome = await plugins.response(view, c.get('requestId'));
    if ('message' in outcome) replaceResponse(c, applyToResponse(response, view, outcome.message));
    else {
      await response.body?.cancel();
      replaceResponse(c, pluginResponse(outcome.rejection, response.status), common);
    }
  } catch (error) {
    await c.res.body?.cancel().catch(() => undefined);
    // The error response must not contain anything of the original response.
    replaceResponse(c, new Response(null), common);
    c.header(FAILURE_HEADER, 'response-pipeline-failure');
    throw error;
  }
}

/** Replaces the response completely; a plain assignment would keep headers of the previous one. */
function replaceResponse(c: Context, response: Response, common?: Headers): void {
  c.res = undefined;
  c.res = response;
  for (const [name, value] of common ?? []) c.header(name, value);
}

const tooLargeMessage = (limit: number): string => `request body is too large limit=${limit} bytes`;
