import { lookup } from '#core/values/lookup.ts';
import { omitUndefined } from '#core/json/omit-undefined.ts';
import { isObject } from '#core/json/is-object.ts';
import { RpcError } from '../mcp/rpc-error.ts';
import { boundedText, type Span, type SpanOutcome, type Tracer } from './tracer.ts';
import type { ContextReader, TraceHeaders } from './request-trace.ts';
import type { PlainValue } from './otlp.ts';

interface McpRequest {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Maximum length of a name, because clients choose the names. */
const MAX_NAME_LENGTH = 128;
/** Methods for which the span contains the `name` parameter, with the attribute for it. */
const NAMED = lookup<string>({
  'tools/call': 'gen_ai.tool.name',
  'prompts/get': 'gen_ai.prompt.name',
});

/** Methods of all revisions of MCP. */
const METHODS: ReadonlySet<string> = new Set([
  'initialize',
  'ping',
  'server/discover',
  'subscriptions/listen',
  'completion/complete',
  'logging/setLevel',
  'tools/list',
  'tools/call',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
]);
/** Name for all other methods, because clients can choose an unlimited number of them. */
const OTHER_METHOD = '_OTHER';

/** Handles a request of an MCP client within a span; without a tracer, it only handles it. */
export function answerTraced<Result>(
  tracer: Tracer | undefined,
  request: McpRequest,
  answer: () => Promise<Result>,
): Promise<Result> {
  if (!tracer) return answer();
  const span = tracer.startServer(contextIn(request.params));
  return settleTraced(span, { request, attributes: {}, errorType: codeOf }, answer);
}

interface McpCall extends McpRequest {
  /** Name of the server. */
  readonly server: string;
  /** The `_meta` of the request. */
  readonly meta: Readonly<Record<string, unknown>> | undefined;
  /** Returns the `error.type` for a failure. */
  readonly errorType: (error: unknown) => string;
}

/**
 * Sends a request to an MCP server within a span. `send` receives the `_meta` with the span's
 * context, and the same context as headers. Outside a request, it receives the client's `_meta` and
 * no headers.
 */
export function requestTraced<Result>(
  tracer: Tracer,
  { server, meta, errorType, ...request }: McpCall,
  send: (meta: McpCall['meta'], headers?: TraceHeaders) => Promise<Result>,
): Promise<Result> {
  const span = tracer.startClient();
  if (!span) return send(meta);
  // The client's context must not be mixed with the span's.
  const withoutContext = { ...meta, traceparent: undefined, tracestate: undefined };
  const { headers } = span.trace;
  const sent = omitUndefined({ ...withoutContext, ...headers });
  const attributes = { 'mcp_manager.server': server };
  return settleTraced(span, { request, attributes, errorType }, () => send(sent, headers));
}

interface TracedRequest extends Pick<McpCall, 'errorType'> {
  readonly request: McpRequest;
  readonly attributes: SpanOutcome['attributes'];
}

/** The code that the client receives. */
const codeOf = (error: unknown): string => String(RpcError.from(error).code);

/** Runs `work` within the span of an MCP request, and ends the span with its result. */
async function settleTraced<Result>(
  span: Span,
  { request, attributes, errorType }: TracedRequest,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    const result = await span.run(work);
    const isToolError = isObject(result) && result['isError'] === true;
    span.end(mcpOutcome(request, attributes, isToolError ? 'tool_error' : undefined));
    return result;
  } catch (error) {
    span.end(mcpOutcome(request, attributes, errorType(error)));
    throw error;
  }
}

/** The trace context that a client sends in `_meta`. @see https://modelcontextprotocol.io/seps/414 */
function contextIn(params: McpRequest['params']): ContextReader {
  const meta = params['_meta'];
  return {
    get(name) {
      const value = isObject(meta) ? meta[name] : undefined;
      return typeof value === 'string' ? value : undefined;
    },
  };
}

/** @see https://opentelemetry.io/docs/specs/semconv/gen-ai/mcp/ */
function mcpOutcome(
  { method: requested, params }: McpRequest,
  attributes: SpanOutcome['attributes'],
  error: string | undefined,
): SpanOutcome {
  const method = METHODS.has(requested) ? requested : OTHER_METHOD;
  const key = NAMED[method];
  const name = key !== undefined && typeof params['name'] === 'string' ? params['name'] : undefined;
  const target = name && boundedText(name, MAX_NAME_LENGTH);
  const named: Record<string, PlainValue> = key === undefined ? {} : { [key]: target };
  return {
    name: target === undefined ? method : `${method} ${target}`,
    attributes: { 'mcp.method.name': method, ...named, ...attributes, 'error.type': error },
    error,
  };
}
