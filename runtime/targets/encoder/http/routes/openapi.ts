import { Type } from 'typebox';
import { openApiDocument } from '#serve/http/openapi/document.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { bodilessRoute, type Route } from '#serve/http/route.ts';
import { lazy } from '#core/values/lazy.ts';
import { withArticle } from '#core/text/with-article.ts';
import { needsKey } from '#serve/access.ts';
import { errorContent } from '../errors.ts';
import type { EncoderContext } from '../../context.ts';
import { NO_GUARD } from '../model-route.ts';

/** `GET /openapi.json`: the OpenAPI document of all operations. It is created on the first request. */
export function openApiRoute(
  { engine, kernel, runtime }: EncoderContext,
  operations: () => readonly Operation[],
): Route {
  const { name, version, modelType } = engine.manifest;
  const document = lazy(() =>
    JSON.stringify(
      openApiDocument({
        title: name,
        version,
        description: `This server runs ${withArticle(modelType)} model with encoderfile ${runtime.version}.`,
        needsKey: needsKey(kernel.access),
        errorContent,
        operations: operations(),
      }),
    ),
  );
  return bodilessRoute({
    method: 'get',
    path: '/openapi.json',
    guard: NO_GUARD,
    id: 'openapi',
    tag: 'Operations',
    summary: 'Get this OpenAPI document.',
    answer: {
      description: 'An OpenAPI 3.0 document.',
      schema: Type.Object({ openapi: Type.String() }, { additionalProperties: true }),
      examples: {},
    },
    run(c) {
      c.header('Content-Type', 'application/json');
      return c.body(document());
    },
  });
}
