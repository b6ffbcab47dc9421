import type { Hono, MiddlewareHandler } from 'hono';
import { createBodyReader } from '#serve/http/body.ts';
import { docsPageRoutes } from '#serve/http/docs-page/routes.ts';
import type { ShellEnv } from '#serve/http/request-state.ts';
import { httpShell } from '#serve/http/shell.ts';
import type { ManagerContext } from '../context.ts';
import { pluginMiddleware } from '../plugins/middleware.ts';
import { visibleMetrics } from '../access/visible-metrics.ts';
import { callerOf, GROUP_PATH, groupMiddleware } from './env.ts';
import { bodyOptions, type ManagerAppOptions } from './app-options.ts';
import { createBaseAddresses } from '#serve/http/own-address.ts';
import { createToolCallAnswer } from './call-tool.ts';
import type { HttpParts } from './parts.ts';
import { problemFormat } from './problem.ts';
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
import { formatBearerChallenge } from '#serve/oauth/bearer-challenge.ts';
import { isCaller } from '../access/caller.ts';
import type { ResourceSettings } from '../config/spec.ts';
import { trimEndOf } from '#core/text/trim-text.ts';

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

const METADATA_PATH = '/.well-known/oauth-protected-resource';

/**
 * Answers requests for the metadata of the manager as a protected resource, and adds a challenge to responses that require a
 * token or more scopes. The metadata of `/mcp` and `/mcp/{server}` have paths of their own.
 * @see https://www.rfc-editor.org/rfc/rfc9728
 */
function protectedResource(settings: ResourceSettings): MiddlewareHandler<ShellEnv> {
  const { origin, pathname } = new URL(settings.resource);
  const base = trimEndOf(pathname, '/');
  const scopes = [...(settings.scopes?.keys() ?? []), ...(settings.adminScope ? [settings.adminScope] : [])];
  const metadata = (path: string): object => ({
    resource: `${settings.resource}${path}`,
    authorization_servers: [settings.issuer],
    bearer_methods_supported: ['header'],
    resource_name: 'mcp-manager',
    ...(scopes.length > 0 && { scopes_supported: scopes }),
  });
  return async (c, next) => {
    const { path, method } = c.req;
    if ((method === 'GET' || method === 'HEAD') && `${path}/`.startsWith(`${METADATA_PATH}/`)) {
      const suffix = trimEndOf(path.slice(METADATA_PATH.length), '/');
      const own = base !== '' && `${suffix}/`.startsWith(`${base}/`) ? suffix.slice(base.length) : suffix;
      if (own === '' || isMcpPath(own)) {
        // Public, and read by clients in browsers.
        c.header('Access-Control-Allow-Origin', '*');
        c.res = c.json(metadata(own));
        return;
      }
    }
    await next();
    const { status } = c.res;
    const caller = c.get('caller');
    const lacksScope = status === 403 && isCaller(caller) && caller.grants !== undefined;
    if (status !== 401 && !lacksScope) return;
    const resourceMetadata = `${origin}${METADATA_PATH}${base}${isMcpPath(path) ? path : ''}`;
    const sentToken = c.req.header('Authorization') !== undefined;
    const error = lacksScope ? 'insufficient_scope' : sentToken ? 'invalid_token' : undefined;
    const scope = scopes.length > 0 ? scopes.filter((name) => name !== settings.adminScope).join(' ') : '';
    c.res.headers.set(
      'WWW-Authenticate',
      formatBearerChallenge({ error, resourceMetadata, scope: scope === '' ? undefined : scope }),
    );
  };
}

const isMcpPath = (path: string): boolean => /^\/mcp(?:\/[\w.-]+)?$/.test(path);
