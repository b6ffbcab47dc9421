import type { Hono } from 'hono';
import { createBodyReader } from '#serve/http/body.ts';
import { docsPageRoutes } from '#serve/http/docs-page/routes.ts';
import type { ShellEnv } from '#serve/http/request-id.ts';
import { listParameters } from '#serve/http/openapi/list-parameters.ts';
import { httpShell } from '#serve/http/shell.ts';
import type { GatewayContext } from '../context.ts';
import { type GatewayAppOptions, hostRulesOf, smallBodyOptions } from './app-options.ts';
import { API_ERRORS } from './http/errors.ts';
import { databaseFailure, databaseUnavailable } from '../store/database-error.ts';
import { WORKER_PATHS } from '../evaluation/jobs/worker/protocol.ts';
import { createAbsoluteUrl, type HttpParts } from './http/parts.ts';
import { createLabBodyReader } from './http/bodies.ts';
import { adminRoutes } from './admin/routes.ts';
import { alertRoutes } from './alerts/routes.ts';
import { aliasRoutes } from './aliases/routes.ts';
import { cacheRoutes } from './cache/routes.ts';
import { apiHealthRoutes } from './health/api-routes.ts';
import { authRoutes } from './auth/routes.ts';
import { createCredentialReader } from './auth/session-credentials.ts';
import { artifactRoutes } from './artifacts/routes.ts';
import { auditRoutes } from './audit/routes.ts';
import { azureRoutes } from './azure/routes.ts';
import { batchRoutes } from './batches/routes.ts';
import { budgetRoutes } from './budgets/routes.ts';
import { compareRoutes } from './compare/routes.ts';
import { completionRoutes } from './completions/routes.ts';
import { datasetRoutes } from './datasets/routes.ts';
import { documentRoutes } from './documents/routes.ts';
import { experimentRoutes } from './experiments/routes.ts';
import { fileRoutes } from './files/routes.ts';
import { guardrailHitRoutes } from './guardrail-hits/routes.ts';
import { providerStateRoutes } from './provider-states/routes.ts';
import { requestRoutes } from './requests/routes.ts';
import { trendRoutes } from './trends/routes.ts';
import { CLIENT_ERRORS } from './gemini/errors.ts';
import { geminiRoutes } from './gemini/routes.ts';
import { healthRoutes } from './health/routes.ts';
import { jobRoutes } from './jobs/routes.ts';
import { keyRoutes } from './keys/routes.ts';
import { modelRoutes } from './models/routes.ts';
import { organizationRoutes } from './organizations/routes.ts';
import { priceMapRoutes } from './price-map/routes.ts';
import { pageRoutes } from './pages/routes.ts';
import { pricingRoutes } from './pricing/routes.ts';
import { promptRoutes } from './prompts/routes.ts';
import { providerRoutes } from './providers/routes.ts';
import { responseRoutes } from './responses/routes.ts';
import { withoutOtariRoot } from './otari/paths.ts';
import { resultRoutes } from './results/routes.ts';
import { secretRoutes } from './secrets/routes.ts';
import { tagRoutes } from './tags/routes.ts';
import { taskModelRoutes } from './task-models/routes.ts';
import { ownInvitationRoutes } from './teams/own-invitations.ts';
import { teamRoutes } from './teams/routes.ts';
import { tokenCountRoutes } from './token-counts/routes.ts';
import { TUS_RESPONSE_HEADERS } from './uploads/protocol.ts';
import { uploadRoutes } from './uploads/routes.ts';
import { usageRoutes } from './usage/routes.ts';
import { userRoutes } from './users/routes.ts';
import { workerRoutes } from './worker/routes.ts';
import { workflowRoutes } from './workflows/routes.ts';
import { addSecurityHeaders } from './http/security-headers.ts';
import { createGuards, createSignIn } from './sign-in/sign-in.ts';
import { createLabGuard } from './sign-in/lab-guard.ts';

/** Creates the HTTP application of the gateway. It does not listen. */
export function gatewayApp(context: GatewayContext, options: GatewayAppOptions): Hono<ShellEnv> {
  const bodies = smallBodyOptions(options);
  const signIn = createSignIn(context);
  const parts: HttpParts = {
    guards: createGuards(signIn, context.kernel.lifecycle, {
      ...context.state,
      credentialsOf: createCredentialReader(context.signIn?.publicUrl),
    }),
    readBody: createBodyReader(bodies),
    labGuard: createLabGuard(context, options),
    readOptionalBody: createBodyReader({ ...bodies, emptyMessage: undefined, emptyBody: {} }),
    absoluteUrl: createAbsoluteUrl(options.server, context.signIn?.publicUrl),
  };
  const labParts: HttpParts = {
    ...parts,
    readBody: createLabBodyReader(bodies),
    readOptionalBody: createLabBodyReader({ ...bodies, emptyMessage: undefined, emptyBody: {} }),
  };
  const groups = [
    completionRoutes(context, options),
    geminiRoutes(context, options),
    azureRoutes(context, options),
    tokenCountRoutes(context, parts, options),
    responseRoutes(context, parts),
    fileRoutes(context, parts, options),
    batchRoutes(context, parts),
    modelRoutes(context, parts),
    userRoutes(context, parts),
    authRoutes(context, parts),
    keyRoutes(context, parts),
    teamRoutes(context, parts),
    ownInvitationRoutes(context, parts),
    organizationRoutes(context, parts),
    budgetRoutes(context, parts),
    tagRoutes(context, parts),
    alertRoutes(context, parts),
    providerRoutes(context, parts),
    aliasRoutes(context, parts),
    cacheRoutes(context, parts),
    pricingRoutes(context, parts),
    priceMapRoutes(context, parts, options),
    trendRoutes(context, parts),
    requestRoutes(context, parts),
    usageRoutes(context, parts),
    guardrailHitRoutes(context, parts),
    providerStateRoutes(context, parts),
    adminRoutes(context, parts),
    auditRoutes(context, parts),
    promptRoutes(context, parts),
    datasetRoutes(context, labParts),
    uploadRoutes(context, labParts),
    experimentRoutes(context, labParts),
    compareRoutes(context, parts),
    resultRoutes(context, parts),
    workflowRoutes(context, labParts),
    taskModelRoutes(context, parts),
    jobRoutes(context, labParts),
    artifactRoutes(context),
    secretRoutes(context, labParts),
    workerRoutes(context, options),
    apiHealthRoutes(context.compute),
    healthRoutes(context),
  ];
  const operations = groups.flatMap((group) => group.operations);
  const app = httpShell(context.kernel, {
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
    async checkReady() {
      if (!(await context.isDatabaseAvailable())) throw databaseUnavailable();
    },
  });
  for (const { routes } of groups) app.route('/', routes);
  app.route('/', pageRoutes());
  app.route('/', documentRoutes(context, operations, options));
  app.route('/', docsPageRoutes([{ href: './', name: 'Pages' }]));
  return app;
}

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
