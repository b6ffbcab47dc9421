import type { Hono } from 'hono';
import { parseLossless } from '../../../core/lossless-json.ts';
import { createBodyReader } from '../../../serve/http/body.ts';
import { docsPageRoutes } from '../../../serve/http/docs-page/routes.ts';
import type { HostRules } from '../../../serve/http/host-rules.ts';
import type { ShellEnv } from '../../../serve/http/request-id.ts';
import { httpShell } from '../../../serve/http/shell.ts';
import { createRedactor, type Redactor } from '../calls/redact.ts';
import type { CorsSettings } from '../config/spec.ts';
import type { ManagerContext } from '../context.ts';
import { pluginMiddleware } from '../plugins/middleware.ts';
import type { Plugins } from '../plugins/plugins.ts';
import { createBaseAddress } from './base-address.ts';
import type { HttpParts } from './parts.ts';
import { problemFormat } from './problem.ts';
import { adminRoutes } from './routes/admin.ts';
import { documentRoutes } from './routes/documents.ts';
import { healthRoutes } from './routes/health.ts';
import { logRoutes } from './routes/logs.ts';
import { promptRoutes } from './routes/prompts.ts';
import { resourceRoutes } from './routes/resources.ts';
import { searchRoutes } from './routes/search.ts';
import { serverRoutes } from './routes/servers.ts';
import { toolRoutes } from './routes/tools.ts';
import { createStructAnswer } from './struct-answer.ts';

export interface ManagerAppOptions {
  /** The address the server listens on, and the names it answers to besides. */
  readonly hostRules: Omit<HostRules, 'allowedOrigins'>;
  /** Web pages of other origins that may call; none by default. */
  readonly cors?: CorsSettings | undefined;
  /** Default 1 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /** How long the body of a request may take to arrive. Default 5 s. */
  readonly bodyTimeoutMs?: number | undefined;
  /** Believe what any client says of the address it reached the server by, not only those of this machine. */
  readonly trustProxy?: boolean | undefined;
  /** The routes of MCP, which share the port. */
  readonly mcp?: Hono<ShellEnv> | undefined;
  /** What looks at requests and answers. */
  readonly plugins?: Plugins | undefined;
  /** Takes secrets out of what servers say went wrong. */
  readonly redact?: Redactor | undefined;
}

const ONE_MEBIBYTE = 1_048_576;
const FIVE_SECONDS = 5000;
/** The arguments of tools may hold whole documents. */
const MOST_NESTED = 500;

/** Everything the manager answers over HTTP. It does not listen. */
export function managerApp(context: ManagerContext, options: ManagerAppOptions): Hono<ShellEnv> {
  const { cors } = options;
  const baseAddress = createBaseAddress(options);
  const bodies = {
    maxBodyBytes: options.maxBodyBytes ?? ONE_MEBIBYTE,
    timeoutMs: options.bodyTimeoutMs ?? FIVE_SECONDS,
    mostNested: MOST_NESTED,
    emptyMessage: 'request body is required',
    tooLargeMessage: (limit: number) => `request body is too large limit=${limit} bytes`,
  };
  const parts: HttpParts = {
    answer: createStructAnswer(baseAddress),
    redact: options.redact ?? createRedactor(),
    readBody: createBodyReader(bodies),
    readLossless: createBodyReader({ ...bodies, parse: parseLossless }),
  };
  const groups = [
    healthRoutes(context, parts),
    serverRoutes(context),
    toolRoutes(context, parts),
    promptRoutes(context, parts),
    resourceRoutes(context, parts),
    searchRoutes(context, parts),
    adminRoutes(context, parts),
    logRoutes(context, parts),
  ];
  const documents = documentRoutes(
    context,
    groups.flatMap(({ operations }) => operations),
  );
  const page = docsPageRoutes();
  const app: Hono<ShellEnv> = httpShell(context.kernel, {
    corsOrigins: cors?.origins ?? [],
    exposedHeaders: [...(cors?.exposedHeaders ?? []), ...(options.mcp ? ['Mcp-Session-Id'] : [])],
    corsRules: cors,
    hostRules: { ...options.hostRules, allowedOrigins: cors?.origins },
    openPaths: [...documents.openPaths, ...page.routes.map(({ path }) => path)],
    errorFormats: [problemFormat(baseAddress)],
    beforeAccess:
      options.plugins &&
      pluginMiddleware(options.plugins, {
        dispatch: (request, env) => app.fetch(request, env),
        bodyTimeoutMs: bodies.timeoutMs,
      }),
    strict: false,
  });
  for (const { routes } of groups) app.route('/', routes);
  app.route('/', documents.routes);
  app.route('/', page);
  if (options.mcp) app.route('/', options.mcp);
  return app;
}
