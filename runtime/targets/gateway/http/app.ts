import type { Hono } from 'hono';
import { createBodyReader } from '../../../serve/http/body.ts';
import { docsPageRoutes } from '../../../serve/http/docs-page/routes.ts';
import type { ShellEnv } from '../../../serve/http/request-id.ts';
import { httpShell } from '../../../serve/http/shell.ts';
import type { GatewayContext } from '../context.ts';
import { type GatewayAppOptions, hostRulesOf, smallBodies } from './app-options.ts';
import { API_ERRORS } from './api-errors.ts';
import { databaseFailure, databaseUnavailable } from '../store/database-error.ts';
import { GATEWAY_ERRORS } from './errors.ts';
import { WORKER_PATHS } from '../jobs/worker/protocol.ts';
import type { HttpParts } from './parts.ts';
import { adminRoutes } from './routes/admin.ts';
import { apiHealthRoutes } from './routes/api-health.ts';
import { artifactRoutes } from './routes/artifacts.ts';
import { budgetRoutes } from './routes/budgets.ts';
import { compareRoutes } from './routes/compare.ts';
import { completionRoutes } from './routes/completions.ts';
import { datasetRoutes } from './routes/datasets.ts';
import { documentRoutes } from './routes/documents.ts';
import { experimentRoutes } from './routes/experiments.ts';
import { healthRoutes } from './routes/health.ts';
import { jobRoutes } from './routes/jobs.ts';
import { keyRoutes } from './routes/keys.ts';
import { modelRoutes } from './routes/models.ts';
import { pricingRoutes } from './routes/pricing.ts';
import { secretRoutes } from './routes/secrets.ts';
import { taskModelRoutes } from './routes/task-models.ts';
import { usageRoutes } from './routes/usage.ts';
import { userRoutes } from './routes/users.ts';
import { workerRoutes } from './routes/worker.ts';
import { workflowRoutes } from './routes/workflows.ts';
import { secureAnswers } from './security-headers.ts';
import { createGuards, createSignIn } from './sign-in.ts';
import { createWorkGuard } from './work-guard.ts';

/** Everything the gateway answers over HTTP. It does not listen. */
export function gatewayApp(context: GatewayContext, options: GatewayAppOptions): Hono<ShellEnv> {
  const bodies = smallBodies(options);
  const parts: HttpParts = {
    guards: createGuards(createSignIn(context), context.kernel.lifecycle),
    readBody: createBodyReader(bodies),
    workGuard: createWorkGuard(context, options),
    readOptionalBody: createBodyReader({ ...bodies, emptyMessage: undefined, emptyBody: {} }),
  };
  const groups = [
    completionRoutes(context, options),
    modelRoutes(context, parts),
    userRoutes(context, parts),
    keyRoutes(context, parts),
    budgetRoutes(context, parts),
    pricingRoutes(context, parts),
    usageRoutes(context, parts),
    adminRoutes(context, parts),
    datasetRoutes(context, parts),
    experimentRoutes(context, parts),
    compareRoutes(context, parts),
    workflowRoutes(context, parts),
    taskModelRoutes(context, parts),
    jobRoutes(context, parts),
    artifactRoutes(context),
    secretRoutes(context, parts),
    workerRoutes(context, options),
    apiHealthRoutes(context.compute),
    healthRoutes(context),
  ];
  const app = httpShell(context.kernel, {
    corsOrigins: options.server.corsOrigins,
    exposedHeaders: EXPOSED_HEADERS,
    hostRules: hostRulesOf(options),
    errorFormats: [API_ERRORS, GATEWAY_ERRORS],
    // Workers ask them many times a second.
    openPaths: Object.values(WORKER_PATHS),
    explain: databaseFailure,
    outermost: secureAnswers,
    strict: false,
    metrics: options.metrics,
    async checkReady() {
      if (!(await context.databaseWorks())) throw databaseUnavailable();
    },
  });
  for (const { routes } of groups) app.route('/', routes);
  app.route(
    '/',
    documentRoutes(
      context,
      groups.flatMap(({ operations }) => operations),
      options,
    ),
  );
  app.route('/', docsPageRoutes());
  return app;
}

/** What web pages need to see of answers, beside the body. */
const EXPOSED_HEADERS = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Gateway-Guardrails',
  'X-Gateway-Unpriced',
];
