import type { Hono } from 'hono';
import { createBodyReader } from '#serve/http/body.ts';
import { docsPageRoutes } from '#serve/http/docs-page/routes.ts';
import type { ShellEnv } from '#serve/http/request-id.ts';
import { httpShell } from '#serve/http/shell.ts';
import type { ManagerContext } from '../context.ts';
import { pluginMiddleware } from '../plugins/middleware.ts';
import { visibleMetrics } from '../access/visible-metrics.ts';
import { callerOf } from './env.ts';
import { bodyOptions, type ManagerAppOptions } from './app-options.ts';
import { createBaseAddresses } from '#serve/http/base-address.ts';
import { createToolCallAnswer } from './call-tool.ts';
import { GROUP_PATH, groupMiddleware } from './env.ts';
import type { HttpParts } from './parts.ts';
import { problemFormat } from './problem.ts';
import { protectedResource } from './protected-resource.ts';
import { pageRoutes } from './pages/routes.ts';
import { adminRoutes } from './routes/admin.ts';
import { adminServerRoutes } from './routes/admin-servers.ts';
import { auditRoutes } from './routes/audit.ts';
import { callerRoutes } from './routes/caller.ts';
import { clientRoutes } from './routes/clients.ts';
import { configurationRoutes } from './routes/configuration.ts';
import { configuredGroupRoutes } from './routes/configured-groups.ts';
import { documentRoutes } from './routes/documents.ts';
import { groupOperations } from './routes/group-operations.ts';
import { groupRoutes } from './routes/groups.ts';
import { healthRoutes } from './routes/health.ts';
import { keyRoutes } from './routes/keys.ts';
import { logRoutes } from './routes/logs.ts';
import { pinRoutes } from './routes/pins.ts';
import { promptRoutes } from './routes/prompts.ts';
import { resourceRoutes } from './routes/resources.ts';
import { searchRoutes } from './routes/search.ts';
import { serverRoutes } from './routes/servers.ts';
import { signInRoutes } from './routes/sign-in.ts';
import { toolDocumentRoutes } from './routes/tool-documents.ts';
import { toolRoutes } from './routes/tools.ts';
import { signInPageRoutes } from './sign-in-page/routes.ts';
import { createStructAnswer } from './struct-answer.ts';

/** Creates the HTTP app of the manager with all its routes. It does not listen. */
export function managerApp(context: ManagerContext, options: ManagerAppOptions): Hono<ShellEnv> {
  const { cors } = options;
  const { link, known } = createBaseAddresses({ ...options, publicUrl: options.oauth?.resource });
  const bodies = bodyOptions(options);
  const parts: HttpParts = {
    answer: createStructAnswer(link),
    readBody: createBodyReader(bodies),
  };
  const scopedRoutes = [
    healthRoutes(context, parts),
    serverRoutes(context),
    toolRoutes(context, parts, createToolCallAnswer(context, options)),
    toolDocumentRoutes(context, link, options),
    promptRoutes(context, parts),
    resourceRoutes(context, parts),
    searchRoutes(context, parts),
  ];
  const { files } = options;
  const all = [
    ...scopedRoutes,
    callerRoutes(context, parts),
    groupRoutes(context, parts),
    clientRoutes(context, parts, link),
    signInRoutes(context, parts, known),
    adminRoutes(context, parts),
    adminServerRoutes(context, parts),
    logRoutes(context, parts),
    ...(files
      ? [
          configurationRoutes(context, files, parts),
          configuredGroupRoutes(context, files, parts),
          keyRoutes(context, files, parts),
          pinRoutes(context, files, parts, options),
          auditRoutes(files, parts),
        ]
      : []),
  ];
  const operations = [
    ...all.flatMap((group) => group.operations),
    ...groupOperations(scopedRoutes.flatMap((group) => group.operations)),
  ];
  const documents = documentRoutes(context, operations, options.metrics);
  const pages = [
    pageRoutes(context.kernel.access),
    docsPageRoutes([{ href: './', name: 'Pages' }]),
    signInPageRoutes(),
  ];
  const app: Hono<ShellEnv> = httpShell(context.kernel, {
    corsOrigins: cors?.origins ?? [],
    exposedHeaders: [...(cors?.exposedHeaders ?? []), ...(options.mcp ? ['Mcp-Session-Id'] : [])],
    corsRules: cors,
    metrics: options.metrics,
    // Open metrics have no caller.
    ...(options.metrics === 'open' ? {} : { visibleMetrics: (text, c) => visibleMetrics(text, callerOf(c)) }),
    hostRules: { ...options.hostRules, allowedOrigins: cors?.origins },
    openPaths: [...documents.openPaths, ...pages.flatMap(({ routes }) => routes.map(({ path }) => path))],
    // A client can select servers and tools on every path.
    repeatable: () => SELECTION_LISTS,
    errorFormats: [problemFormat(link)],
    outermost: options.oauth && protectedResource(options.oauth),
    beforeAccess:
      options.plugins &&
      pluginMiddleware(options.plugins, {
        dispatch: (request, env) => app.fetch(request, env),
        bodyTimeoutMs: bodies.timeoutMs,
      }),
    strict: false,
  });
  for (const { routes } of all) app.route('/', routes);
  for (const below of ['api', 'openapi']) {
    app.use(`${GROUP_PATH}/${below}/*`, groupMiddleware(context.groups));
  }
  for (const { routes } of scopedRoutes) app.route(GROUP_PATH, routes);
  app.route('/', documents.routes);
  for (const page of pages) app.route('/', page);
  if (options.mcp) app.route('/', options.mcp);
  return app;
}

const SELECTION_LISTS: ReadonlySet<string> = new Set(['servers', 'tools']);
