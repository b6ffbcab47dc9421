import { Type } from 'typebox';
import { AppError } from '../../../../contract/errors.ts';
import { needsKey } from '../../../../serve/access.ts';
import { openApiDocument } from '../../../../serve/http/openapi/document.ts';
import { healthOperations, type MetricsAccess } from '../../../../serve/http/health.ts';
import type { Operation } from '../../../../serve/http/openapi/operation.ts';
import { publishedSchemas } from '../published-schemas.ts';
import { answerOf } from '../../../../serve/http/openapi/describe.ts';
import type { ManagerContext } from '../../context.ts';
import { type ManagerRoutes, newRoutes } from '../parts.ts';
import { problem } from '../problem.ts';
import { errorModel } from '../schemas/error.ts';
import { schemaPath } from '../struct-answer.ts';

export interface DocumentRoutes {
  readonly routes: ManagerRoutes['routes'];
  /** Paths without authentication, because their content is public. */
  readonly openPaths: readonly string[];
}

/** `/openapi.json`, `/openapi.yaml` and `/schemas/{Type}.json`: machine-readable descriptions of the API. */
export function documentRoutes(
  { kernel }: ManagerContext,
  operations: readonly Operation[],
  metrics: MetricsAccess = 'key',
): DocumentRoutes {
  const document = openApiDocument({
    openapi: '3.1.0',
    title: 'mcp-manager',
    version: 'v1',
    description: DESCRIPTION,
    needsKey: needsKey(kernel.access),
    operations: [...operations, ...healthOperations(metrics), ...OPERATIONS],
    anyError: true,
    errorContent: (error, status) => ({
      mediaType: 'application/problem+json',
      schema: errorModel,
      examples: { error: problem(error, status) },
    }),
  });
  const schemas = publishedSchemas(document);
  const json = JSON.stringify(document);
  const routes = newRoutes();

  routes.get('/openapi.json', (c) => c.body(json, 200, { 'Content-Type': 'application/openapi+json' }));
  routes.get('/openapi.yaml', async (c) => {
    // Imported on demand, because this format is rarely used.
    const { stringify } = await import('yaml');
    const text = stringify(document, { aliasDuplicateObjects: false });
    return c.body(text, 200, { 'Content-Type': 'application/openapi+yaml' });
  });
  routes.get('/schemas/:file', (c) => {
    const file = c.req.param('file');
    const schema = schemas.get(file.replace(/\.json$/, ''));
    if (!schema || !file.endsWith('.json')) throw unknownSchema(file, [...schemas.keys()]);
    return c.body(schema, 200, { 'Content-Type': 'application/schema+json' });
  });

  const schemaPaths = [...schemas.keys()].map((type) => schemaPath(type));
  return { routes, openPaths: ['/openapi.json', '/openapi.yaml', ...schemaPaths] };
}

const unknownSchema = (file: string, known: readonly string[]): AppError =>
  new AppError('NotFoundError', `Unknown schema: ${file.slice(0, 100)}. Schemas: ${known.join(', ')}.`);

const DESCRIPTION =
  'Runs a set of MCP servers and makes their tools, prompts and resources available over HTTP.\n\nNames of servers and tools are case-insensitive. Errors are `application/problem+json`. Bodies contain the URL of their schema in `$schema`.';

const anyDocument = Type.Unsafe({ type: 'object', additionalProperties: true });

const OPERATIONS: readonly Operation[] = [
  {
    method: 'get',
    path: '/openapi.json',
    id: 'openapi',
    tag: 'Operations',
    summary: 'Get this document. It is also available as YAML at `/openapi.yaml`.',
    answer: {
      ...answerOf('An OpenAPI 3.1 document.', anyDocument, { openapi: '3.1.0' }),
      mediaType: 'application/openapi+json',
    },
    errors: [],
    open: true,
  },
  {
    method: 'get',
    path: '/schemas/{type}.json',
    id: 'getSchema',
    tag: 'Operations',
    summary: 'Get the JSON Schema that `$schema` in a body refers to.',
    parameters: [{ name: 'type', description: 'Name of the schema.', example: 'ServerHealth' }],
    answer: {
      ...answerOf('The schema.', anyDocument, { type: 'object' }),
      mediaType: 'application/schema+json',
    },
    errors: [404],
    open: true,
  },
];
