import type { Hono } from 'hono';
import { bodyReaderFrom, createExchangeBodyReader } from '#serve/http/body.ts';
import { createDirectListener, type DirectListener } from '#serve/http/exchange.ts';
import type { HostRules } from '#serve/http/request-head.ts';
import type { MetricsAccess } from '#core/cli/common-flags.ts';
import type { ShellEnv } from '#serve/http/request-state.ts';
import { addRoutes, directRoutesOf, operationsOf } from '#serve/http/route.ts';
import { monitoringRoutes } from '#serve/http/health.ts';
import { httpShell } from '#serve/http/shell.ts';
import type { EncoderContext } from '../context.ts';
import { ERROR_FORMATS } from './errors.ts';
import { vectorRequests } from '../schemas/tei.ts';
import { modelRoutes } from './model-route.ts';
import { modelPage } from './page/routes.ts';
import { MCP_SESSION_HEADER } from '../mcp/routes.ts';
import { cohereEmbedRoute } from './routes/cohere-embed.ts';
import { cohereRerankRoutes } from './routes/cohere-rerank.ts';
import { foreignTask, inferenceApiRoute } from './routes/inference-api.ts';
import { modelInfoRoutes } from './routes/model.ts';
import { openAiEmbeddingsRoute } from './routes/openai-embeddings.ts';
import { openAiModelRoutes } from './routes/openai-models.ts';
import { openApiRoute } from './routes/openapi.ts';
import { predictRoute } from './routes/predict.ts';
import { rerankRoute } from './routes/rerank.ts';
import { teiRoutes } from './routes/tei.ts';
import { tokenizeRoutes } from './routes/tokenize.ts';
import { ANSWER_HEADERS, documentPriority } from './run-model.ts';

export interface EncoderAppOptions {
  readonly maxBodyBytes: number;
  readonly metrics?: MetricsAccess | undefined;
  /** Allowed hosts, and allowed origins of web pages, for all routes. */
  readonly hostRules: HostRules;
  /** The MCP routes, which are served on the same port. */
  readonly mcp?: Hono;
}

export interface EncoderHttp {
  readonly app: Hono<ShellEnv>;
  /** Handles common requests directly, without the HTTP framework. */
  readonly direct: DirectListener;
}

/** Creates the HTTP app of a model executable, without listening on a port. */
export function encoderHttp(context: EncoderContext, options: EncoderAppOptions): EncoderHttp {
  const readExchange = createExchangeBodyReader(options);
  const { hostRules, maxBodyBytes, metrics } = options;
  const { kernel } = context;
  const { manifest, limits } = context.engine;
  const models = modelRoutes(kernel.lifecycle, bodyReaderFrom(readExchange));
  const requests = vectorRequests(manifest, limits);
  const task = foreignTask(manifest, limits);
  // The OpenAPI document lists the operations in this order.
  const api = [
    predictRoute(context, readExchange, task, maxBodyBytes),
    ...modelInfoRoutes(context),
    rerankRoute(context, models),
    ...tokenizeRoutes(context, models),
    openAiEmbeddingsRoute(context, readExchange),
    ...openAiModelRoutes(context),
    ...teiRoutes(context, models, requests),
    inferenceApiRoute(context, models, requests, task, maxBodyBytes),
    ...cohereRerankRoutes(context, models),
    cohereEmbedRoute(context, models),
  ];
  const { page, assets } = modelPage();
  const openApi = openApiRoute(context, () =>
    operationsOf([...api, ...monitoringRoutes(kernel, { metrics }), openApi, page]).map(documentPriority),
  );
  const routes = [...api, openApi, page];
  const app = httpShell(kernel, {
    corsOrigins: hostRules.allowedOrigins ?? [],
    hostRules,
    metrics,
    exposedHeaders: [...ANSWER_HEADERS.map(({ name }) => name), MCP_SESSION_HEADER],
    // The page must load without an API key, because users enter their key there.
    openPaths: [...routes.filter(({ guard }) => guard.isOpen), ...assets.routes].map(({ path }) => path),
    errorFormats: ERROR_FORMATS,
  });
  addRoutes(app, routes);
  app.route('/', assets);
  if (options.mcp) app.route('/', options.mcp);
  // Common requests are handled without the HTTP framework. The app handles all other requests.
  const direct = createDirectListener(
    kernel,
    directRoutesOf(api, { maxBodyBytes, hostRules, withoutQuery: true }),
  );
  return { app, direct };
}
