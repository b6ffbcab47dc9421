import type { Hono } from 'hono';
import { type BodyOptions, type BodyReader, createBodyReader } from '#serve/http/body.ts';
import { createDirectListener, type DirectListener } from '#serve/http/exchange.ts';
import { docsPageRoutes } from '#serve/http/docs-page/routes.ts';
import { listParameters } from '#serve/http/openapi/list-parameters.ts';
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
import type { GatewayContext } from '../context.ts';
import { WORKER_PATHS } from '../evaluation/jobs/worker/protocol.ts';
import { databaseFailure, databaseUnavailable } from '../store/database-error.ts';
import { adminRoutes } from './admin.ts';
import { alertRoutes } from './alerts.ts';
import { aliasRoutes } from './aliases.ts';
import { type GatewayAppOptions, hostRulesOf, smallBodyOptions } from './app-options.ts';
import { artifactRoutes } from './artifacts.ts';
import { auditRoutes } from './audit.ts';
import { authRoutes } from './auth.ts';
import { azureRoutes } from './azure.ts';
import { batchRoutes } from './batches.ts';
import { budgetRoutes } from './budgets.ts';
import { cacheRoutes } from './cache.ts';
import { compareRoutes } from './compare.ts';
import { completionRoutes } from './completions/routes.ts';
import { datasetRoutes } from './datasets.ts';
import { documentRoutes } from './documents.ts';
import { experimentRoutes } from './experiments.ts';
import { fileRoutes } from './files.ts';
import { CLIENT_ERRORS } from './gemini-errors.ts';
import { geminiRoutes } from './gemini.ts';
import { guardrailHitRoutes } from './guardrail-hits.ts';
import { createGuards, createSignIn } from './guards.ts';
import { apiHealthRoutes, healthRoutes } from './health.ts';
import { createEvaluationBodyReader, EVALUATION_BODY_ERRORS } from './http/bodies.ts';
import { API_ERRORS } from './http/errors.ts';
import { createAbsoluteUrl, type HttpParts } from './http/parts.ts';
import { addSecurityHeaders, securityHeaders } from './http/security-headers.ts';
import { ownInvitationRoutes } from './invitations.ts';
import { jobRoutes } from './jobs.ts';
import { keyRoutes } from './keys.ts';
import { modelRoutes } from './models.ts';
import { organizationRoutes } from './organizations.ts';
import { withoutOtariRoot } from './otari-paths.ts';
import { gatewayPageRoutes } from './pages/routes.ts';
import { priceMapRoutes } from './price-map.ts';
import { pricingRoutes } from './pricing.ts';
import { promptRoutes } from './prompts.ts';
import { providerStateRoutes } from './provider-states.ts';
import { providerRoutes } from './providers.ts';
import { requestRoutes } from './requests.ts';
import { responseRoutes } from './responses.ts';
import { resultRoutes } from './results.ts';
import { secretRoutes } from './secrets.ts';
import { tagRoutes } from './tags.ts';
import { taskModelRoutes } from './task-models.ts';
import { teamRoutes } from './teams.ts';
import { tokenCountRoutes } from './token-counts.ts';
import { trendRoutes } from './trends.ts';
import { TUS_RESPONSE_HEADERS, UPLOAD_PATHS, uploadProtocol, uploadRoutes } from './uploads.ts';
import { usageRoutes } from './usage.ts';
import { userRoutes } from './users.ts';
import { workerRoutes } from './worker.ts';
import { workflowRoutes } from './workflows.ts';

/** The gateway's HTTP application, and a fast path that handles most model calls without the framework's overhead. */
export interface GatewayApi {
  readonly app: Hono<ShellEnv>;
  readonly direct: DirectListener;
  /** Whether a request is a model call, which serving threads handle. */
  readonly callsModel: RouteMatcher;
}

/** Creates the gateway's HTTP application without listening on a port. */
export function gatewayApi(context: GatewayContext, options: GatewayAppOptions): GatewayApi {
  const { server } = options;
  const hostRules = hostRulesOf(options);
  const parts = httpParts(context, options);
  const models = modelCallRoutes(context, options, parts);
  const routes = [...models, ...otherRoutes(context, options, parts)];
  const operations = operationsOf(routes);
  const signIn = createSignIn(context);
  const app = httpShell(context.kernel, {
    corsOrigins: server.corsOrigins,
    exposedHeaders: EXPOSED_HEADERS,
    hostRules,
    errorFormats: [API_ERRORS, CLIENT_ERRORS],
    // Workers call these paths many times per second, which would fill the log.
    openPaths: Object.values(WORKER_PATHS),
    repeatable: listParameters(operations),
    explain: databaseFailure,
    outermost: addSecurityHeaders,
    strict: false,
    pathOf: withoutOtariRoot,
    metrics: options.metrics,
    readMetrics: () => context.threads.metrics(context.kernel.metrics),
    async metricsGuard(c, next) {
      c.set('caller', await signIn.caller(c.req.raw.headers));
      await next();
    },
    async checkReady() {
      if (!(await context.isDatabaseAvailable())) throw databaseUnavailable();
    },
  });
  for (const path of UPLOAD_PATHS) app.use(path, uploadProtocol(context.jobs));
  addRoutes(app, routes);
  app.route('/', gatewayPageRoutes());
  addRoutes(
    app,
    documentRoutes(context, operations, options, {
      route: declareRoute(createBodyReader, smallBodyOptions(options), BODY_ERRORS),
    }),
  );
  app.route('/', docsPageRoutes([{ href: './', name: 'Pages' }]));
  return {
    app,
    callsModel: createRouteMatcher(models),
    direct: createDirectListener(
      context.kernel,
      directRoutesOf(routes, {
        maxBodyBytes: server.maxBodyBytes,
        hostRules,
        head: Object.entries(securityHeaders('/v1')).flat(),
      }),
    ),
  };
}

/**
 * The routes of all resources, in the order of the OpenAPI document.
 *
 * @internal Exported for tests.
 */
export function gatewayRoutes(context: GatewayContext, options: GatewayAppOptions): readonly Route[] {
  const parts = httpParts(context, options);
  return [...modelCallRoutes(context, options, parts), ...otherRoutes(context, options, parts)];
}

const httpParts = (context: GatewayContext, options: GatewayAppOptions): HttpParts => ({
  guards: createGuards(context, options),
  route: declareRoute(createBodyReader, smallBodyOptions(options), BODY_ERRORS),
  absoluteUrl: createAbsoluteUrl(options.server, context.signIn?.publicUrl),
});

/** The routes that call models. */
const modelCallRoutes = (
  context: GatewayContext,
  options: GatewayAppOptions,
  parts: HttpParts,
): readonly Route[] => [
  ...completionRoutes(context, options, parts),
  ...geminiRoutes(context, options, parts),
  ...azureRoutes(context, options, parts),
  ...tokenCountRoutes(context, options, parts),
];

function otherRoutes(
  context: GatewayContext,
  options: GatewayAppOptions,
  parts: HttpParts,
): readonly Route[] {
  const evaluation: HttpParts = {
    ...parts,
    route: declareRoute(createEvaluationBodyReader, smallBodyOptions(options), EVALUATION_BODY_ERRORS),
  };
  return [
    ...responseRoutes(context, parts),
    ...fileRoutes(context, parts, options),
    ...batchRoutes(context, parts),
    ...modelRoutes(context, parts),
    ...userRoutes(context, parts),
    ...authRoutes(context, parts),
    ...keyRoutes(context, parts),
    ...teamRoutes(context, parts),
    ...ownInvitationRoutes(context, parts),
    ...organizationRoutes(context, parts),
    ...budgetRoutes(context, parts),
    ...tagRoutes(context, parts),
    ...alertRoutes(context, parts),
    ...providerRoutes(context, parts),
    ...aliasRoutes(context, parts),
    ...cacheRoutes(context, parts),
    ...pricingRoutes(context, parts),
    ...priceMapRoutes(context, parts, options),
    ...trendRoutes(context, parts),
    ...requestRoutes(context, parts),
    ...usageRoutes(context, parts),
    ...guardrailHitRoutes(context, parts),
    ...providerStateRoutes(context, parts),
    ...adminRoutes(context, parts),
    ...auditRoutes(context, parts),
    ...promptRoutes(context, parts),
    ...datasetRoutes(context, evaluation),
    ...uploadRoutes(context, evaluation),
    ...experimentRoutes(context, evaluation),
    ...compareRoutes(context, evaluation),
    ...resultRoutes(context, evaluation),
    ...workflowRoutes(context, evaluation),
    ...taskModelRoutes(context, evaluation),
    ...jobRoutes(context, evaluation),
    ...artifactRoutes(context, evaluation),
    ...secretRoutes(context, evaluation),
    ...workerRoutes(context, options),
    ...apiHealthRoutes(context.compute, parts),
    ...healthRoutes(context, parts),
  ];
}

/**
 * Declares routes whose bodies are read in the given way. A missing optional body is replaced by an empty
 * object.
 */
const declareRoute = (
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
  'X-Gateway-Estimated',
  ...TUS_RESPONSE_HEADERS,
];
