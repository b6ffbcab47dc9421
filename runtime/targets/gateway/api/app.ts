import type { Hono } from 'hono';
import { createBodyReader } from '#serve/http/body.ts';
import { docsPageRoutes } from '#serve/http/docs-page/routes.ts';
import type { DirectListener } from '#serve/http/exchange.ts';
import { BODY_ERRORS } from '#serve/http/openapi/statuses.ts';
import type { ShellEnv } from '#serve/http/request-state.ts';
import { addRoutes, operationsOf, type Route } from '#serve/http/route.ts';
import type { GatewayContext } from '../context.ts';
import { databaseUnavailable } from '../store/database-error.ts';
import { adminRoutes } from './admin.ts';
import { agreementRoutes } from './agreement.ts';
import { alertRoutes } from './alerts.ts';
import { aliasRoutes } from './aliases.ts';
import { shadowRoutes } from './shadow.ts';
import { type GatewayAppOptions, smallBodyOptions } from './app-options.ts';
import { artifactRoutes } from './artifacts.ts';
import { auditRoutes } from './audit.ts';
import { authRoutes } from './auth.ts';
import { batchRoutes } from './batches.ts';
import { budgetRoutes } from './budgets.ts';
import { cacheRoutes } from './cache.ts';
import { compareRoutes } from './compare.ts';
import { datasetRoutes } from './datasets.ts';
import { documentRoutes } from './documents.ts';
import { experimentRoutes } from './experiments.ts';
import { fileRoutes } from './files.ts';
import { guardrailHitRoutes } from './guardrail-hits.ts';
import { apiHealthRoutes, healthRoutes } from './health.ts';
import { createEvaluationBodyReader, EVALUATION_BODY_ERRORS } from './http/bodies.ts';
import { idempotentRoutes } from './http/idempotent-routes.ts';
import { type HttpParts } from './http/parts.ts';
import { ownInvitationRoutes } from './invitations.ts';
import { jobRoutes } from './jobs.ts';
import { keyRoutes } from './keys.ts';
import { matrixRoutes } from './matrix.ts';
import { declareRoute, directListener, gatewayShell, httpParts, modelCallRoutes } from './model-api.ts';
import { modelRoutes } from './models.ts';
import { organizationRoutes } from './organizations.ts';
import { gatewayPageRoutes } from './pages/routes.ts';
import { priceMapRoutes } from './price-map.ts';
import { pricingRoutes } from './pricing.ts';
import { feedbackRoutes } from './feedback.ts';
import { promptRoutes } from './prompts.ts';
import { providerStateRoutes } from './provider-states.ts';
import { queueRoutes } from './queues.ts';
import { providerRoutes } from './providers.ts';
import { requestRoutes } from './requests.ts';
import { responseRoutes } from './responses.ts';
import { resultRoutes } from './results.ts';
import { secretRoutes } from './secrets.ts';
import { tagRoutes } from './tags.ts';
import { taskModelRoutes } from './task-models.ts';
import { teamRoutes } from './teams.ts';
import { trafficDatasetRoutes } from './traffic-datasets.ts';
import { trendRoutes } from './trends.ts';
import { UPLOAD_PATHS, uploadProtocol, uploadRoutes } from './uploads.ts';
import { usageRoutes } from './usage.ts';
import { userRoutes } from './users.ts';
import { userTokenKeyRoutes } from './user-token-keys.ts';
import { workerRoutes } from './worker.ts';
import { workflowRoutes } from './workflows.ts';
import { workloadRoutes } from './workloads.ts';

/** The gateway's HTTP application, and a fast path that handles most model calls without the framework's overhead. */
export interface GatewayApi {
  readonly app: Hono<ShellEnv>;
  readonly direct: DirectListener;
}

/** Creates the gateway's HTTP application without listening on a port. */
export function gatewayApi(context: GatewayContext, options: GatewayAppOptions): GatewayApi {
  const routes = gatewayRoutes(context, options);
  const operations = operationsOf(routes);
  const app = gatewayShell(context, options, {
    operations,
    readMetrics: () => context.threads.metrics(context.kernel.metrics),
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
  return { app, direct: directListener(context, options, routes) };
}

/**
 * The routes of all resources, in the order of the OpenAPI document.
 *
 * @internal Exported for tests.
 */
export function gatewayRoutes(context: GatewayContext, options: GatewayAppOptions): readonly Route[] {
  const parts = httpParts(context, options);
  return idempotentRoutes(context, options, [
    ...modelCallRoutes(context, options, parts),
    ...otherRoutes(context, options, parts),
  ]);
}

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
    ...workloadRoutes(context, parts),
    ...keyRoutes(context, parts),
    ...teamRoutes(context, parts),
    ...ownInvitationRoutes(context, parts),
    ...organizationRoutes(context, parts),
    ...budgetRoutes(context, parts),
    ...tagRoutes(context, parts),
    ...alertRoutes(context, parts),
    ...providerRoutes(context, parts),
    ...aliasRoutes(context, parts),
    ...shadowRoutes(context, parts),
    ...cacheRoutes(context, parts),
    ...pricingRoutes(context, parts),
    ...priceMapRoutes(context, parts, options),
    ...trendRoutes(context, parts),
    ...requestRoutes(context, parts),
    ...usageRoutes(context, parts),
    ...guardrailHitRoutes(context, parts),
    ...providerStateRoutes(context, parts),
    ...queueRoutes(context, parts),
    ...adminRoutes(context, parts),
    ...auditRoutes(context, parts),
    ...promptRoutes(context, parts),
    ...feedbackRoutes(context, parts),
    ...trafficDatasetRoutes(context, evaluation),
    ...datasetRoutes(context, evaluation),
    ...uploadRoutes(context, evaluation),
    ...experimentRoutes(context, evaluation),
    ...compareRoutes(context, evaluation),
    ...agreementRoutes(context, evaluation),
    ...matrixRoutes(context, evaluation),
    ...resultRoutes(context, evaluation),
    ...workflowRoutes(context, evaluation),
    ...taskModelRoutes(context, evaluation),
    ...jobRoutes(context, evaluation),
    ...artifactRoutes(context, evaluation),
    ...secretRoutes(context, evaluation),
    ...workerRoutes(context, options),
    ...apiHealthRoutes(context.compute, parts),
    ...healthRoutes(context, parts),
    ...userTokenKeyRoutes(context, parts),
  ];
}
