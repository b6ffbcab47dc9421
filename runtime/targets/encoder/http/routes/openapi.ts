import { Hono } from 'hono';
import { Type } from 'typebox';
import { openApiDocument } from '#serve/http/openapi/document.ts';
import type { MetricsAccess } from '#core/cli/common-flags.ts';
import { monitoringRoutes } from '#serve/http/health.ts';
import { operationsOf } from '#serve/http/route.ts';
import { lazy } from '#core/values/lazy.ts';
import { withArticle } from '#core/text/with-article.ts';
import { needsKey } from '#serve/access.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { errorContent } from '../errors.ts';
import type { EncoderContext } from '../../context.ts';

/** `GET /openapi.json`: the OpenAPI document of all routes, created by the first request. */
export function openApiRoutes(
  { engine, kernel, runtime }: EncoderContext,
  operations: readonly Operation[],
  metrics: MetricsAccess = 'key',
): Hono {
  const { name, version, modelType } = engine.manifest;
  const document = lazy(() =>
    JSON.stringify(
      openApiDocument({
        title: name,
        version,
        description: `This server runs ${withArticle(modelType)} model with encoderfile ${runtime.version}.`,
        needsKey: needsKey(kernel.access),
        errorContent,
        operations: [...operations, ...operationsOf(monitoringRoutes(kernel, { metrics })), OPERATION, PAGE],
      }),
    ),
  );
  const routes = new Hono();
  routes.get('/openapi.json', (c) => {
    c.header('Content-Type', 'application/json');
    return c.body(document());
  });
  return routes;
}

const PAGE: Operation = {
  method: 'get',
  path: '/',
  id: 'page',
  tag: 'Operations',
  summary: 'Page to try the model.',
  answer: { description: 'An HTML page.', mediaType: 'text/html', schema: Type.String(), examples: {} },
  errors: [],
  open: true,
};

const OPERATION: Operation = {
  method: 'get',
  path: '/openapi.json',
  id: 'openapi',
  tag: 'Operations',
  summary: 'Get this OpenAPI document.',
  answer: {
    description: 'An OpenAPI 3.0 document.',
    schema: Type.Object({ openapi: Type.String() }, { additionalProperties: true }),
    examples: {},
  },
  errors: [],
};
