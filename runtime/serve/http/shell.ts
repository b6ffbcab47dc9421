import { Hono, type MiddlewareHandler } from 'hono';
import { AppError } from '../../contract/errors.ts';
import type { Kernel } from '../kernel.ts';
import { allowedMethods } from './allowed-methods.ts';
import { type CorsRules, crossOrigin } from './cross-origin.ts';
import { failureOf } from './direct-failure.ts';
import { type ErrorFormat, errorResponse } from './error-response.ts';
import { addHealthRoutes, HEALTH_PATHS, type HealthOptions } from './health.ts';
import { createHostCheck, type HostRules } from './host-rules.ts';
import { createRequestObserver, observeRequests } from './observe.ts';
import { requestIds, type ShellEnv } from './request-id.ts';

export interface ShellOptions extends HealthOptions {
  /** Origins of web pages that may call; `*` is every page. None by default. */
  readonly corsOrigins?: readonly string[];
  /** Headers of answers that such pages may read. */
  readonly exposedHeaders?: readonly string[];
  /** What else such pages may do. */
  readonly corsRules?: CorsRules | undefined;
  /** Names this server answers to, and pages that may call; without them no path cares. */
  readonly hostRules?: HostRules | undefined;
  /** Paths that need no API key, beside those that tell whether the server lives. */
  readonly openPaths?: readonly string[];
  /** How errors look under a path, where not as plain text. */
  readonly errorFormats?: readonly ErrorFormat[];
  /** What an error of a library means; undefined for what should not have happened. */
  readonly explain?: ((error: unknown) => AppError | undefined) | undefined;
  /** What every answer passes, also those of requests that are refused. */
  readonly outermost?: MiddlewareHandler<ShellEnv> | undefined;
  /** What requests meet before their API key is checked. */
  readonly beforeAccess?: MiddlewareHandler<ShellEnv> | undefined;
  /** Whether `/path/` is not the same as `/path`. It is not, by default. */
  readonly strict?: boolean;
}

/**
 * What every HTTP server of ours has before it has routes of its own: request ids, logs, metrics, API keys, errors, health.
 * A target adds its routes to it. It does not listen.
 */
export function httpShell(kernel: Kernel, options: ShellOptions = {}): Hono<ShellEnv> {
  const { corsOrigins = [], exposedHeaders = [], openPaths = [], errorFormats = [], strict = true } = options;
  const open = new Set([...HEALTH_PATHS, ...openPaths]);
  const app = new Hono<ShellEnv>({ strict });

  app.use(requestIds(), observeRequests(createRequestObserver(kernel, open)));
  if (options.outermost) app.use(options.outermost);
  app.use(tellFailures);
  if (corsOrigins.length > 0) app.use(crossOrigin(corsOrigins, exposedHeaders, options.corsRules));
  if (options.hostRules) {
    const refusal = createHostCheck(options.hostRules);
    app.use(async (c, next) => {
      const reason = refusal(c.req.raw);
      if (reason !== undefined) throw new AppError('ForbiddenError', reason);
      await next();
    });
  }
  if (options.beforeAccess) app.use(options.beforeAccess);
  app.use(async (c, next) => {
    if (!open.has(c.req.path)) c.set('caller', kernel.access.check(c.req.header('Authorization')));
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

  addHealthRoutes(app, kernel, options);
  return app;
}

/** Errors look alike, whether the app met them or a route that is answered directly. */
const tellFailures: MiddlewareHandler<ShellEnv> = async (c, next) => {
  const failure = failureOf(c);
  if (!failure) return await next();
  c.set('caller', failure.caller);
  throw failure.error;
};
