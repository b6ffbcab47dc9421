import type { Hono } from 'hono';
import { type BodyOptions, type BodyReader, createBodyReader } from '#serve/http/body.ts';
import { createDirectListener, type DirectListener } from '#serve/http/exchange.ts';
import type { HealthOptions } from '#serve/http/health.ts';
import { listParameters } from '#serve/http/openapi/list-parameters.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { BODY_ERRORS, type ErrorStatus } from '#serve/http/openapi/statuses.ts';
import type { ShellEnv } from '#serve/http/request-state.ts';
import {
  addRoutes,
  createDeclareRoute,
  createRouteMatcher,
  type DeclareRoute,
  directRoutesOf,
  operationsOf,
  type Route,
  type RouteMatcher,
} from '#serve/http/route.ts';
import { httpShell } from '#serve/http/shell.ts';
import type { ModelCallContext } from '../context.ts';
import { WORKER_PATHS } from '../evaluation/jobs/worker/protocol.ts';
import { databaseFailure } from '../store/database-error.ts';
import { type GatewayAppOptions, hostRulesOf, smallBodyOptions } from './app-options.ts';
import { azureRoutes } from './azure.ts';
import { completionRoutes } from './completions/routes.ts';
import { CLIENT_ERRORS } from './gemini-errors.ts';
import { geminiRoutes } from './gemini.ts';
import { createGuards, createSignIn } from './guards.ts';
import { API_ERRORS } from './http/errors.ts';
import { IDEMPOTENCY_HEADER, idempotentRoutes, REPLAYED_HEADER } from './http/idempotent-routes.ts';
import { createAbsoluteUrl, type HttpParts } from './http/parts.ts';
import { addSecurityHeaders, securityHeaders } from './http/security-headers.ts';
import { TUS_RESPONSE_HEADERS } from './http/tus-headers.ts';
import { withoutOtariRoot } from './otari-paths.ts';
import { tokenCountRoutes } from './token-counts.ts';

/** The part of the gateway's HTTP application that calls models, for serving threads. */
export interface ModelApi {
  readonly app: Hono<ShellEnv>;
  readonly direct: DirectListener;
  /** Whether a request is a model call. */
  readonly callsModel: RouteMatcher;
}

export function modelApi(context: ModelCallContext, options: GatewayAppOptions): ModelApi {
  const routes = idempotentRoutes(
    context,
    options,
    modelCallRoutes(context, options, httpParts(context, options)),
  );
  const app = gatewayShell(context, options, { operations: operationsOf(routes) });
  addRoutes(app, routes);
  return { app, direct: directListener(context, options, routes), callsModel: createRouteMatcher(routes) };
}

export const httpParts = (context: ModelCallContext, options: GatewayAppOptions): HttpParts => ({
  guards: createGuards(context, options),
  route: declareRoute(createBodyReader, smallBodyOptions(options), BODY_ERRORS),
  absoluteUrl: createAbsoluteUrl(options.server, context.signInUrl),
});

/** The routes that call models. */
export const modelCallRoutes = (
  context: ModelCallContext,
  options: GatewayAppOptions,
  parts: HttpParts,
): readonly Route[] => [
  ...completionRoutes(context, options, parts),
  ...geminiRoutes(context, options, parts),
  ...azureRoutes(context, options, parts),
  ...tokenCountRoutes(context, options, parts),
];

/** Handles most model calls without the framework's overhead. */
export const directListener = (
  { kernel }: Pick<ModelCallContext, 'kernel'>,
  options: GatewayAppOptions,
  routes: readonly Route[],
): DirectListener =>
  createDirectListener(
    kernel,
    directRoutesOf(routes, {
      maxBodyBytes: options.server.maxBodyBytes,
      appHeader: IDEMPOTENCY_HEADER.toLowerCase(),
      hostRules: hostRulesOf(options),
      head: Object.entries(securityHeaders('/v1')).flat(),
    }),
  );

interface ShellParts extends Pick<HealthOptions, 'readMetrics' | 'checkReady'> {
  readonly operations: readonly Operation[];
}

/** Creates the app without routes: everything that applies to all routes. */
export function gatewayShell(
  context: ModelCallContext,
  options: GatewayAppOptions,
  { operations, ...health }: ShellParts,
): Hono<ShellEnv> {
  const signIn = createSignIn(context);
  return httpShell(context.kernel, {
    corsOrigins: options.server.corsOrigins,
    exposedHeaders: EXPOSED_HEADERS,
    hostRules: hostRulesOf(options),
    errorFormats: [API_ERRORS, CLIENT_ERRORS],
    // Workers call these paths many times per second, which would fill the log.
    openPaths: Object.values(WORKER_PATHS),
    repeatable: listParameters(operations),
    explain: databaseFailure,
    outermost: addSecurityHeaders,
    strict: false,
    pathOf: withoutOtariRoot,
    metrics: options.metrics,
    async metricsGuard(c, next) {
      c.set('caller', await signIn.caller(c.req.raw.headers));
      await next();
    },
    ...health,
  });
}

/**
 * Declares routes whose bodies are read in the given way. A missing optional body is replaced by an empty
 * object.
 */
export const declareRoute = (
  createReader: (options: BodyOptions) => BodyReader,
  bodies: BodyOptions,
  errors: readonly ErrorStatus[],
): DeclareRoute =>
  createDeclareRoute({
    read: createReader(bodies),
    readOptional: createReader({ ...bodies, emptyMessage: undefined, emptyBody: {} }),
    errors,
  });

/** Response headers that web pages can read. */
const EXPOSED_HEADERS = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Gateway-Guardrails',
  'X-Gateway-Unpriced',
  'X-Gateway-Dropped-Tools',
  'X-Gateway-Variant',
  'X-Gateway-Estimated',
  REPLAYED_HEADER,
  ...TUS_RESPONSE_HEADERS,
];
