import type { Hono } from 'hono';
import { returnsTextVectors } from '#contract/model-types.ts';
import { bodyReaderFrom, createExchangeBodyReader } from '#serve/http/body.ts';
import { createDirectListener, type DirectListener, type DirectRoute } from '#serve/http/direct-route.ts';
import type { Kernel } from '#serve/kernel.ts';
import type { HostRules } from '#serve/http/request-head.ts';
import type { MetricsAccess } from '#serve/http/health.ts';
import type { ShellEnv } from '#serve/http/request-state.ts';
import { httpShell } from '#serve/http/shell.ts';
import type { EncoderContext } from '../context.ts';
import { ERROR_FORMATS } from './errors.ts';
import { vectorRequests } from '../schemas/tei.ts';
import { pageRoutes } from './page/routes.ts';
import { MCP_SESSION_HEADER } from '../mcp/routes.ts';
import { cohereRerankRoutes } from './routes/cohere-rerank.ts';
import { foreignTask, inferenceApiRoutes } from './routes/inference-api.ts';
import { modelInfoRoutes } from './routes/model.ts';
import {
  createEmbeddingsAnswer,
  EMBEDDINGS_PATH,
  openAiEmbeddingRoutes,
} from './routes/openai-embeddings.ts';
import { openAiModelRoutes } from './routes/openai-models.ts';
import { openApiRoutes } from './routes/openapi.ts';
import { createPredictAnswer, predictRoutes } from './routes/predict.ts';
import { rerankRoutes } from './routes/rerank.ts';
import { teiRoutes } from './routes/tei.ts';
import { tokenizeRoutes } from './routes/tokenize.ts';
import { ANSWER_HEADERS, type AnswerExchange } from './run-model.ts';

export interface EncoderAppOptions {
  readonly maxBodyBytes: number;
  readonly metrics?: MetricsAccess | undefined;
  /** Allowed hosts, and origins of web pages, on all routes. */
  readonly hostRules: HostRules;
  /** Routes of MCP, which share the port. */
  readonly mcp?: Hono;
}

export interface EncoderHttp {
  readonly app: Hono<ShellEnv>;
  /** Answers common requests without the app. */
  readonly direct: DirectListener;
}

/** Creates the HTTP app of a model executable. The app does not listen. */
export function encoderHttp(context: EncoderContext, options: EncoderAppOptions): EncoderHttp {
  const readExchange = createExchangeBodyReader(options);
  const readBody = bodyReaderFrom(readExchange);
  const pages = pageRoutes();
  const app = httpShell(context.kernel, {
    corsOrigins: options.hostRules.allowedOrigins ?? [],
    hostRules: options.hostRules,
    metrics: options.metrics,
    exposedHeaders: [...ANSWER_HEADERS.map(({ name }) => name), MCP_SESSION_HEADER],
    // The page must load without a key, because users enter the key there.
    openPaths: ['/health', ...pages.routes.map(({ path }) => path)],
    errorFormats: ERROR_FORMATS,
  });
  const { manifest, limits } = context.engine;
  const requests = vectorRequests(manifest, limits);
  const task = foreignTask(manifest, limits);
  const predict = createPredictAnswer(context, readExchange, task);
  const embeddings = createEmbeddingsAnswer(context, readExchange);
  const cohere = cohereRerankRoutes(context, readBody);
  const groups = [
    // Documents list operations in this order.
    predictRoutes(context, predict),
    modelInfoRoutes(context),
    rerankRoutes(context, readBody),
    tokenizeRoutes(context, readBody),
    openAiEmbeddingRoutes(context, embeddings),
    openAiModelRoutes(context),
    teiRoutes(context, readBody, requests),
    inferenceApiRoutes(context, readBody, requests, task),
  ];
  for (const { routes } of groups) app.route('/', routes);
  app.route('/', cohere.routes);
  const operations = [...groups, cohere].flatMap((group) => group.operations);
  app.route('/', openApiRoutes(context, operations, options.metrics));
  app.route('/', pages);
  if (options.mcp) app.route('/', options.mcp);
  const direct = directRequests(context.kernel, options, {
    '/predict': predict,
    ...(returnsTextVectors(manifest.modelType) ? { [EMBEDDINGS_PATH]: embeddings } : {}),
  });
  return { app, direct };
}

/** Handles common requests of the model without the HTTP framework: the answers of `answers`, by path. The app handles all others. */
const directRequests = (
  kernel: Kernel,
  { maxBodyBytes, hostRules }: Pick<DirectRoute, 'maxBodyBytes' | 'hostRules'>,
  answers: Readonly<Record<string, AnswerExchange>>,
): DirectListener =>
  createDirectListener(
    kernel,
    Object.entries(answers).map(([route, answer]): DirectRoute => ({
      route,
      path: new RegExp(`^${route}$`),
      maxBodyBytes,
      hostRules,
      answer: ({ exchange }) => answer(exchange),
    })),
  );
