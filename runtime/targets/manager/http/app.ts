import type { Hono, MiddlewareHandler } from 'hono';
import { createBodyReader } from '#serve/http/body.ts';
import { docsPageRoutes } from '#serve/http/docs-page/routes.ts';
import { createDirectListener, type DirectListener } from '#serve/http/exchange.ts';
import type { ShellEnv } from '#serve/http/request-state.ts';
import { httpShell } from '#serve/http/shell.ts';
import type { ManagerContext } from '../context.ts';
import { pluginMiddleware } from '../plugins/middleware.ts';
import { inspectMessages } from '../plugins/plugins.ts';
import { visibleMetrics, isCaller } from '../access/caller.ts';
import { callerOfRequest } from './env.ts';
import { groupRoutesOf, limitToGroups } from './group-routes.ts';
import { createManagerGuards } from './guards.ts';
import { BODY_ERRORS } from '#serve/http/openapi/statuses.ts';
import {
  addRoutes,
  createDeclareRoute,
  directRoutesOf,
  operationsOf,
  type Route,
} from '#serve/http/route.ts';
import { bodyOptions, type ManagerAppOptions } from './app-options.ts';
import { createBaseAddresses } from '#serve/http/own-address.ts';
import type { ManagerHttpParts } from './parts.ts';
import { problemFormat } from './problem.ts';
import { managerPageRoutes } from './pages/routes.ts';
import { serverAdminRoutes, adminServerRoutes } from './routes/admin.ts';
import { callAuditRoutes } from './routes/audit.ts';
import { callerRoutes, serverRoutes } from './routes/caller.ts';
import { clientRoutes } from './routes/clients.ts';
import { configurationRoutes } from './routes/configuration.ts';
import { configuredGroupRoutes } from './routes/configured-groups.ts';
import { managerDocumentRoutes } from './routes/documents.ts';
import { findingRoutes } from './routes/findings.ts';
import { groupRoutes } from './routes/groups.ts';
import { serverHealthRoutes } from './routes/health.ts';
import { clientKeyRoutes } from './routes/keys.ts';
import { identityKeyRoutes } from './routes/identity-keys.ts';
import { logRoutes } from './routes/logs.ts';
import { pinRoutes } from './routes/pins.ts';
import { serverPromptRoutes } from './routes/prompts.ts';
import { resourceRoutes } from './routes/resources.ts';
import { searchRoutes } from './routes/search.ts';
import { signInRoutes } from './routes/sign-in.ts';
import { toolDocumentRoutes } from './routes/tool-documents.ts';
import { toolRoutes } from './routes/tools.ts';
import { userSecretRoutes } from './routes/user-secrets.ts';
import { signInPageRoutes } from './sign-in-page/routes.ts';
import { createStructAnswer, respondWith } from './struct-answer.ts';
import { formatBearerChallenge } from '#serve/oauth/bearer-challenge.ts';
import type { ResourceSettings } from '../config/spec.ts';
import { trimEndOf } from '#core/text/trim-text.ts';

/**
 * The manager's HTTP application, and a fast path that handles most tool calls and MCP messages without the
 * framework's overhead.
 */
export interface ManagerApi {
  readonly app: Hono<ShellEnv>;
  /** Undefined if there are request or response plugins, because plugins require the framework. */
  readonly direct: DirectListener | undefined;
}

/** Creates the manager's HTTP application. Does not listen. */
export function managerApi(context: ManagerContext, options: ManagerAppOptions): ManagerApi {
  const { cors, plugins, mcp } = options;
  const { link } = addressesOf(options);
  const bodies = bodyOptions(options);
  const hostRules = { ...options.hostRules, allowedOrigins: cors?.origins };
  const routes = managerRoutes(context, options);
  const documents = managerDocumentRoutes(
    context,
    operationsOf(routes),
    httpParts(context, options),
    options.metrics,
  );
  const pages = [
    managerPageRoutes(context.kernel.access),
    docsPageRoutes([{ href: './', name: 'Pages' }]),
    signInPageRoutes(),
    identityKeyRoutes(context),
  ];
  const app: Hono<ShellEnv> = httpShell(context.kernel, {
    corsOrigins: cors?.origins ?? [],
    exposedHeaders: [...(cors?.exposedHeaders ?? []), ...(mcp ? ['Mcp-Session-Id'] : [])],
    corsRules: cors,
    metrics: options.metrics,
    // Public metrics have no caller.
    ...(options.metrics === 'open'
      ? {}
      : { visibleMetrics: (text, c) => visibleMetrics(text, callerOfRequest(c)) }),
    // With `--audit-failure reject`, no call could start.
    checkReady: async () => await context.audit?.ready(),
    hostRules,
    openPaths: [...documents.openPaths, ...pages.flatMap((page) => page.routes.map(({ path }) => path))],
    // Clients can select servers and tools on every path.
    repeatable: () => SELECTION_LISTS,
    errorFormats: [problemFormat(link)],
    outermost: options.oauth && protectedResource(options.oauth),
    beforeAccess:
      plugins &&
      pluginMiddleware(plugins, {
        dispatch: (request, env) => app.fetch(request, env),
        bodyTimeoutMs: bodies.timeoutMs,
      }),
    strict: false,
  });
  limitToGroups(app, context.groups);
  addRoutes(app, routes);
  addRoutes(app, documents.routes);
  for (const page of pages) app.route('/', page);
  if (mcp) app.route('/', mcp.routes);
  const direct = directRoutesOf(routes, {
    maxBodyBytes: bodies.maxBodyBytes,
    hostRules,
    accepts: ANY_JSON,
    withoutQuery: true,
  });
  return {
    app,
    direct: inspectMessages(plugins)
      ? undefined
      : createDirectListener(context.kernel, [...direct, ...(mcp?.direct ?? [])]),
  };
}

const ANY_JSON: ReadonlySet<string> = new Set(['*/*', 'application/json', 'application/json, */*']);

/** How requests reach the manager, for building links. */
const addressesOf = (options: ManagerAppOptions): ReturnType<typeof createBaseAddresses> =>
  createBaseAddresses({ ...options, publicUrl: options.oauth?.resource });

function httpParts({ kernel }: ManagerContext, options: ManagerAppOptions): ManagerHttpParts {
  const answer = createStructAnswer(addressesOf(options).link);
  const read = createBodyReader(bodyOptions(options));
  return {
    answer,
    guards: createManagerGuards(kernel.lifecycle),
    route: createDeclareRoute({
      read,
      readOptional: read,
      errors: BODY_ERRORS,
      respondWith: respondWith(answer),
    }),
  };
}

/**
 * The routes of all resources, in document order.
 *
 * @internal Exported for tests.
 */
export function managerRoutes(context: ManagerContext, options: ManagerAppOptions): readonly Route[] {
  const { files } = options;
  const { link, known } = addressesOf(options);
  const parts = httpParts(context, options);
  const scoped = [
    ...serverHealthRoutes(context, parts),
    ...serverRoutes(context, parts),
    ...toolRoutes(context, parts, options),
    ...toolDocumentRoutes(context, parts, link, options),
    ...serverPromptRoutes(context, parts),
    ...resourceRoutes(context, parts),
    ...searchRoutes(context, parts),
  ];
  return [
    ...scoped,
    ...callerRoutes(context, parts),
    ...groupRoutes(context, parts),
    ...clientRoutes(context, parts, link),
    ...signInRoutes(context, parts, known),
    ...userSecretRoutes(context, parts),
    ...serverAdminRoutes(context, parts),
    ...adminServerRoutes(context, parts),
    ...logRoutes(context, parts),
    ...findingRoutes(context, parts),
    ...(files
      ? [
          ...configurationRoutes(context, files, parts),
          ...configuredGroupRoutes(context, files, parts),
          ...clientKeyRoutes(files, parts),
          ...pinRoutes(context, files, parts, options),
          ...callAuditRoutes(context, files, parts),
        ]
      : []),
    ...groupRoutesOf(scoped),
  ];
}

const SELECTION_LISTS: ReadonlySet<string> = new Set(['servers', 'tools']);

const METADATA_PATH = '/.well-known/oauth-protected-resource';

/**
 * Serves the manager's protected resource metadata, and adds a challenge to responses that require a token or
 * additional scopes. The metadata of `/mcp` and `/mcp/{server}` have separate paths.
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
        // The metadata is public, and clients in browsers request it.
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
