import { isObject } from '#core/json/is-object.ts';
import { type ApiRequest, buildRequest } from '../../openapi/build-request.ts';
import type { ApiPlan, ApiTool } from '../../openapi/plan.ts';
import { schemesOf, scopesOf } from '../../openapi/security.ts';
import { InvalidArguments } from '../../openapi/serialize-value.ts';
import type { ApiSettings, RemoteLaunch, ServerTimeouts } from '../../config/spec.ts';
import type { ShapeOfParams } from '../../shapes/shape.ts';
import { type RequestHeaders, ResultTooLarge } from '../connection.ts';
import type { AccessTokens } from '../remote/access-tokens.ts';
import { createRemoteClient } from '../remote/remote-client.ts';
import { USER_AGENT } from './fetch-document.ts';
import { ACCEPT_ENCODING, readLimited } from './read-limited.ts';
import { type ApiResponse, toolResult } from './tool-result.ts';

export interface ApiClientOptions {
  readonly server: string;
  readonly launch: RemoteLaunch & { readonly api: ApiSettings };
  readonly timeouts: ServerTimeouts;
  readonly plan: ApiPlan;
  readonly baseUrl: string;
  readonly tokens: AccessTokens | undefined;
  readonly maxResultCharacters: number | undefined;
}

interface CallOptions {
  /** The trace context, and the client headers that the configuration passes on. */
  readonly headers: RequestHeaders | undefined;
  readonly signal: AbortSignal;
}

/** Calls operations of an API. */
export interface ApiClient {
  /** Resolves with the result of a tool. Invalid arguments and error statuses are tool errors. */
  call(tool: ApiTool, args: unknown, options: CallOptions): Promise<ShapeOfParams>;
  /** Closes the client after the calls in flight. */
  finish(): Promise<void>;
  close(): Promise<void>;
}

const MAX_REDIRECTS = 3;
/** Redirects that turn into a GET, which is safe only for a request that was one. */
const GET_REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303]);
const DEFAULT_MAX = 32 * 1024 * 1024;

export function createApiClient({
  server,
  launch,
  timeouts,
  plan,
  baseUrl,
  tokens,
  maxResultCharacters = DEFAULT_MAX,
}: ApiClientOptions): ApiClient {
  const client = createRemoteClient({ ...launch, url: baseUrl }, timeouts, tokens);
  const credentials = {
    schemes: plan.schemes,
    values: launch.api.credentials,
    hasToken: tokens !== undefined,
  };
  const ownHeaders = new Set(Object.keys(launch.headers).map((name) => name.toLowerCase()));
  const common = {
    ...(ownHeaders.has('user-agent') ? {} : { 'user-agent': USER_AGENT }),
    'accept-encoding': ACCEPT_ENCODING,
  };
  let running = 0;
  let onIdle: (() => void) | undefined;

  const send = async (request: ApiRequest, { headers, signal }: CallOptions): Promise<ApiResponse> => {
    const own = Object.entries(request.headers).filter(([name]) => !ownHeaders.has(name));
    let { url } = request;
    for (let redirects = 0; ; redirects += 1) {
      const response = await client.request({
        method: request.method,
        url,
        headers: { ...common, ...headers, ...Object.fromEntries(own) },
        body: request.body,
        signal,
      });
      const target = redirects < MAX_REDIRECTS ? sameOriginTarget(request, url, response) : undefined;
      if (target) {
        await response.body.dump();
        url = target;
        continue;
      }
      const body = await readLimited(
        response,
        maxResultCharacters,
        () => new ResultTooLarge(maxResultCharacters),
      );
      return { status: response.status, headers: response.headers, body, url };
    }
  };

  return {
    async call(tool, args, options) {
      running += 1;
      try {
        const request = buildRequest(tool.operation, isObject(args) ? args : {}, credentials);
        const response = await send(request, options);
        const result = toolResult(server, tool, response);
        if (response.status === 401) return withHint(result, tool, credentials);
        if (response.status !== 403) return result;
        const granted = (await tokens?.current())?.scope;
        return withMissingScopes(result, granted, { server, needed: scopesOf(tool.operation, credentials) });
      } catch (error) {
        if (error instanceof InvalidArguments)
          return { content: [{ type: 'text', text: error.message }], isError: true };
        throw error;
      } finally {
        running -= 1;
        if (running === 0) onIdle?.();
      }
    },
    async finish() {
      if (running > 0) await new Promise<void>((resolve) => (onIdle = resolve));
      await client.destroy();
    },
    close: () => client.destroy(),
  };
}

/** Returns where to repeat a GET request. Another origin never gets a request, which could contain credentials. */
function sameOriginTarget(
  { method }: ApiRequest,
  url: URL,
  { status, headers }: Pick<ApiResponse, 'status' | 'headers'>,
): URL | undefined {
  const { location } = headers;
  if (method !== 'GET' || !GET_REDIRECTS.has(status) || typeof location !== 'string') return undefined;
  const target = URL.parse(location, url);
  return target?.origin === url.origin ? target : undefined;
}

/** Names the security schemes for which the configuration has no credentials. */
function withHint(
  result: ShapeOfParams,
  { operation }: ApiTool,
  { values, hasToken }: { readonly values: Readonly<Record<string, string>>; readonly hasToken: boolean },
): ShapeOfParams {
  const missing = [...schemesOf(operation)].filter((name) => !Object.hasOwn(values, name));
  if (missing.length === 0 || hasToken) return result;
  return withText(
    result,
    `The manager has no credentials for ${missing.join(', ')}. An administrator can set them under credentials.`,
  );
}

/** Names the scopes of the operation that the sign-in does not have. An API does not have to report them. */
function withMissingScopes(
  result: ShapeOfParams,
  granted: string | undefined,
  { server, needed }: { readonly server: string; readonly needed: readonly string[] },
): ShapeOfParams {
  const all = granted?.split(' ');
  const missing = all === undefined ? [] : needed.filter((scope) => !all.includes(scope));
  if (missing.length === 0) return result;
  const scopes = [...new Set(missing)].join(' ');
  return withText(
    result,
    `The sign-in does not have the scopes that the document requires for this operation (${scopes}). Run \`mcp-manager login ${server}\`.`,
  );
}

function withText(result: ShapeOfParams, text: string): ShapeOfParams {
  const content = Array.isArray(result['content']) ? (result['content'] as unknown[]) : [];
  return { ...result, content: [...content, { type: 'text', text }] };
}
