import type { Hono } from 'hono';
import { bodyReaderFrom, createExchangeBodyReader } from '#serve/http/body.ts';
import { createDirectListener, type DirectListener } from '#serve/http/exchange.ts';
import type { HostRules } from '#serve/http/request-head.ts';
import type { MetricsAccess } from '#core/cli/common-flags.ts';
import type { ShellEnv } from '#serve/http/request-state.ts';
import { addRoutes, directRoutesOf, operationsOf } from '#serve/http/route.ts';
import { httpShell } from '#serve/http/shell.ts';
import type { EncoderContext } from '../context.ts';
import { ERROR_FORMATS } from './errors.ts';
import { vectorRequests } from '../schemas/tei.ts';
import { modelPageRoutes } from './page/routes.ts';
import { MCP_SESSION_HEADER } from '../mcp/routes.ts';
import { cohereRerankRoutes } from './routes/cohere-rerank.ts';
import { foreignTask, inferenceApiRoutes } from './routes/inference-api.ts';
import { modelInfoRoutes } from './routes/model.ts';
import { openAiEmbeddingsRoute } from './routes/openai-embeddings.ts';
import { openAiModelRoutes } from './routes/openai-models.ts';
import { openApiRoutes } from './routes/openapi.ts';
import { predictRoute } from './routes/predict.ts';
import { rerankRoutes } from './routes/rerank.ts';
import { teiRoutes } from './routes/tei.ts';
import { tokenizeRoutes } from './routes/tokenize.ts';
import { ANSWER_HEADERS } from './run-model.ts';

export interface EncoderAppOptions {
  readonly maxBodyBytes: number;
  readonly metrics?: MetricsAccess | undefined;
  /** Allowed hosts, and origins of web pages, on all routes. */
  readonly hostRules: HostRules;
  /** The MCP routes, which share the port. */
  readonly mcp?: Hono;
}

export interface EncoderHttp {
  readonly app: Hono<ShellEnv>;
  /** Handles common requests without the app. */
  readonly direct: DirectListener;
}

/** Creates the HTTP app of a model executable. The app does not listen. */
export function encoderHttp(context: EncoderContext, options: EncoderAppOptions): EncoderHttp {
  const readExchange = createExchangeBodyReader(options);
  const readBody = bodyReaderFrom(readExchange);
  const pages = modelPageRoutes();
  const { hostRules, maxBodyBytes } = options;
  const app = httpShell(context.kernel, {
    corsOrigins: hostRules.allowedOrigins ?? [],
    hostRules,
    metrics: options.metrics,
    exposedHeaders: [...ANSWER_HEADERS.map(({ name }) => name), MCP_SESSION_HEADER],
    // The page must load without a key, because users enter the key there.
    openPaths: ['/health', ...pages.routes.map(({ path }) => path)],
    errorFormats: ERROR_FORMATS,
  });
  const { manifest, limits } = context.engine;
  const requests = vectorRequests(manifest, limits);
  const task = foreignTask(manifest, limits);
  const predict = predictRoute(context, readExchange, task);
  const embeddings = openAiEmbeddingsRoute(context, readExchange);
  addRoutes(app, [predict, embeddings]);
  const ours = [modelInfoRoutes(context), rerankRoutes(context, readBody), tokenizeRoutes(context, readBody)];
  const others = [
    openAiModelRoutes(context),
    teiRoutes(context, readBody, requests),
    inferenceApiRoutes(context, readBody, requests, task),
  ];
  const cohere = cohereRerankRoutes(context, readBody);
  for (const { routes } of [...ours, ...others]) app.route('/', routes);
  app.route('/', cohere.routes);
  // Documents list operations in this order.
  const operations = [
    ...operationsOf([predict]),
    ...ours.flatMap((group) => group.operations),
    ...operationsOf([embeddings]),
    ...[...others, cohere].flatMap((group) => group.operations),
  ];
  app.route('/', openApiRoutes(context, operations, options.metrics));
  app.route('/', pages);
  if (options.mcp) app.route('/', options.mcp);
  // Common requests are handled without the HTTP framework. The app handles all others.
  const direct = createDirectListener(
    context.kernel,
    directRoutesOf([predict, embeddings], { maxBodyBytes, hostRules, withoutQuery: true }),
  );
  return { app, direct };
}
