import { Hono, type MiddlewareHandler, type Env, type Context } from 'hono';
import { cors } from 'hono/cors';
import { matchedRoutes } from 'hono/route';
import { getPath, getPathNoStrict } from 'hono/utils/url';
import { AppError } from '#contract/errors.ts';
import { authenticate } from '../access.ts';
import type { Kernel } from '../kernel.ts';
import { failureOf, requestIds, type ShellEnv, requestHolds } from './request-state.ts';
import { requireDistinctParameters } from './query.ts';
import { type ErrorFormat, errorResponse } from './error-response.ts';
import { type HealthOptions, monitoringRoutes } from './health.ts';
import { createHostCheck, type HostRules, REQUEST_ID_HEADER } from './request-head.ts';
import { createRequestObserver } from './observe.ts';
import type { Span } from '../telemetry/tracer.ts';

export interface ShellOptions extends HealthOptions {
  /** Allowed CORS origins of web pages; `*` allows all origins. Default: no origins are allowed. */
  readonly corsOrigins?: readonly string[];
  /** Response headers that pages from these origins are allowed to read. */
  readonly exposedHeaders?: readonly string[];
  /** Additional permissions of pages from these origins. */
  readonly corsRules?: CorsRules | undefined;
  /** Allowed hosts and origins; undefined if hosts are not checked. */
  readonly hostRules?: HostRules | undefined;
  /** Paths that do not require an API key, in addition to the health routes. */
  readonly openPaths?: readonly string[];
  /** Error formats by path. Default: plain text. */
  readonly errorFormats?: readonly ErrorFormat[];
  /** Translates a library error; returns undefined for unexpected errors. */
  readonly explain?: ((error: unknown) => AppError | undefined) | undefined;
  /** Middleware around every response, including rejected requests. */
  readonly outermost?: MiddlewareHandler<ShellEnv> | undefined;
  /** Middleware that runs before the API key is checked. */
  readonly beforeAccess?: MiddlewareHandler<ShellEnv> | undefined;
  /** For each path, the query parameters that are lists. Any other parameter must not be repeated. */
  readonly repeatable?: ((path: string) => ReadonlySet<string> | undefined) | undefined;
  /** Whether `/path/` and `/path` are different paths. Default: false. */
  readonly strict?: boolean;
  /** Returns the path under which a request is handled, if it differs from the requested path. */
  readonly pathOf?: (path: string) => string;
}

/**
 * The common base of every HTTP server in this project: request ids, logs, metrics, API keys,
 * errors and health routes. Each program adds its own routes. The app does not listen on a port.
 */
export function httpShell(kernel: Kernel, options: ShellOptions = {}): Hono<ShellEnv> {
  const { corsOrigins = [], exposedHeaders = [], openPaths = [], errorFormats = [], strict = true } = options;
  const health = monitoringRoutes(kernel, options);
  const open = new Set([...health.filter(({ guard }) => guard.isOpen).map(({ path }) => path), ...openPaths]);
  const { pathOf = (path) => path } = options;
  const readPath = strict ? getPath : getPathNoStrict;
  const app = new Hono<ShellEnv>({ getPath: (request) => pathOf(readPath(request)) });

  app.use(
    requestIds(),
    observeRequests(kernel, new Set([...open, ...health.map(({ path }) => path)])),
    requestHolds(kernel.requestMemory),
  );
  if (options.outermost) app.use(options.outermost);
  app.use(reportFailures);
  if (corsOrigins.length > 0) app.use(crossOrigin(corsOrigins, exposedHeaders, options.corsRules));
  if (options.hostRules) {
    const refusal = createHostCheck(options.hostRules);
    app.use(async (c, next) => {
      const reason = refusal(c.req.raw);
      if (reason !== undefined) throw new AppError('ForbiddenError', reason);
      await next();
    });
  }
  const { repeatable } = options;
  app.use(async (c, next) => {
    requireDistinctParameters(c.req.url, (name) => repeatable?.(c.req.path)?.has(name) ?? false);
    await next();
  });
  if (options.beforeAccess) app.use(options.beforeAccess);
  app.use(async (c, next) => {
    if (!open.has(c.req.path)) {
      c.set('caller', await authenticate(kernel.access, c.req.header('Authorization')));
    }
    await next();
  });

  app.notFound((c) => {
    const asked = `${c.req.method} ${c.req.path}`.slice(0, 200);
    const methods = allowedMethods(app, c.req.path);
    if (methods.length === 0)
      return errorResponse(c, new AppError('NotFoundError', `No such path: ${asked}`), errorFormats);
    c.header('Allow', methods.join(', '));
    const message = `Method not allowed: ${asked}. Allowed methods: ${methods.join(', ')}.`;
    return errorResponse(c, new AppError('MethodError', message), errorFormats);
  });
  app.onError((error, c) => {
    const known =
      error instanceof AppError
        ? error
        : (options.explain?.(error) ?? new AppError('InternalError', 'Internal error'));
    if (known !== error || known.code === 'InternalError' || known.code === 'ConfigError') {
      kernel.log.error({ requestId: c.get('requestId'), err: error }, 'request failed');
    }
    return errorResponse(c, known, errorFormats);
  });

  for (const { path, guard, handler } of health) {
    // The guard applies to requests with any method.
    if (guard.enter) app.use(path, guard.enter);
    app.get(path, handler);
  }
  return app;
}

/**
 * Logs and measures every request. Requests for `quietPaths`, which monitoring systems poll, are
 * logged at debug level and not traced.
 */
function observeRequests(kernel: Kernel, quietPaths: ReadonlySet<string>): MiddlewareHandler<ShellEnv> {
  const observe = createRequestObserver(kernel, quietPaths);
  const { tracer } = kernel;
  const startSpan = (c: Context): Span | undefined =>
    tracer && !quietPaths.has(c.req.path) ? tracer.startServer(c.req.raw.headers) : undefined;
  return async (c, next) => {
    const failure = failureOf(c);
    const start = failure?.startedAt ?? performance.now();
    const span = failure ? failure.span : startSpan(c);
    await (span ? span.run(next) : next());
    observe({
      requestId: c.get('requestId'),
      caller: c.get('caller')?.name,
      method: c.req.method,
      path: c.req.path,
      route: routePattern(c),
      status: c.res.status,
      milliseconds: performance.now() - start,
      span,
    });
  };
}

/**
 * Pattern of the route that handled the request, or would have handled a rejected one; optional
 * parts are omitted.
 */
const routePattern = (c: Context): string =>
  matchedRoutes(c)
    .slice(c.req.routeIndex)
    .find(({ path }) => !path.endsWith('*'))
    ?.path.replaceAll(/\{[^{}]*\}/g, '') ?? 'none';

/** Formats errors of direct routes in the same way as the app's. */
const reportFailures: MiddlewareHandler<ShellEnv> = async (c, next) => {
  const failure = failureOf(c);
  if (!failure) return await next();
  c.set('caller', failure.caller);
  throw failure.error;
};

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * Returns the methods for which the app has a route at this path. Middleware that handles all
 * methods is ignored.
 */
function allowedMethods<E extends Env>(app: Hono<E>, path: string): string[] {
  const methods = METHODS.filter((method) =>
    app.router.match(method, path)[0].some(([[, route]]) => route.method === method),
  );
  return methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
}

/** Permissions of web pages from allowed origins. */
interface CorsRules {
  readonly methods?: readonly string[];
  readonly headers?: readonly string[];
  /** Whether these pages can send credentials such as cookies. Always false if all origins are allowed. */
  readonly credentials?: boolean;
  readonly maxAgeSeconds?: number;
}

const TEN_MINUTES = 600;

/** Allows pages of these origins to call the server and read responses; `*` allows all. */
function crossOrigin(
  origins: readonly string[],
  exposedHeaders: readonly string[],
  { methods = [], headers = [], credentials = false, maxAgeSeconds = TEN_MINUTES }: CorsRules = {},
): MiddlewareHandler {
  const all = origins.includes('*');
  const respond = cors({
    origin: all ? '*' : [...origins],
    exposeHeaders: [REQUEST_ID_HEADER, 'Retry-After', ...exposedHeaders],
    maxAge: maxAgeSeconds,
    ...(methods.length > 0 ? { allowMethods: [...methods] } : {}),
    ...(headers.length > 0 ? { allowHeaders: [...headers] } : {}),
    ...(credentials && !all ? { credentials } : {}),
  });
  // An OPTIONS request from a client that is not a web page, such as a tus client, is passed to the route.
  return (c, next) => (c.req.method === 'OPTIONS' && !isPreflight(c) ? next() : respond(c, next));
}

/** @see https://fetch.spec.whatwg.org/#cors-preflight-request */
const isPreflight = ({ req }: Context): boolean =>
  req.header('Origin') !== undefined && req.header('Access-Control-Request-Method') !== undefined;
