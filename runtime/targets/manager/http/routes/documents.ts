import { Type } from 'typebox';
import { AppError } from '#contract/errors.ts';
import { needsKey } from '#serve/access.ts';
import type { JsonSchema } from '#serve/http/openapi/hoist.ts';
import { version30 } from '#serve/http/openapi/version-3-0.ts';
import { openApiDocument } from '#serve/http/openapi/document.ts';
import { healthOperations, type MetricsAccess } from '#serve/http/health.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { publishedSchemas } from '../published-schemas.ts';
import { answerOf } from '#serve/http/openapi/describe.ts';
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

/** `/openapi.json`, `/openapi-3.0.json`, both as YAML, and `/schemas/{Type}.json`: machine-readable descriptions of the API. */
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
  const openPaths = [...schemas.keys()].map((type) => schemaPath(type));
  const publish = (path: string, text: () => string | Promise<string>, mediaType: string): void => {
    openPaths.push(path);
    routes.get(path, async (c) => c.body(await text(), 200, { 'Content-Type': mediaType }));
  };

  publish('/openapi.json', () => json, 'application/openapi+json');
  publish('/openapi.yaml', () => yamlOf(document), 'application/openapi+yaml');
  // For programs that do not read version 3.1. Created on demand, because they are rarely used.
  publish('/openapi-3.0.json', () => JSON.stringify(version30(document)), 'application/openapi+json');
  publish('/openapi-3.0.yaml', () => yamlOf(version30(document)), 'application/openapi+yaml');
  routes.get('/schemas/:file', (c) => {
    const file = c.req.param('file');
    const schema = schemas.get(file.replace(/\.json$/, ''));
    if (!schema || !file.endsWith('.json')) throw unknownSchema(file, [...schemas.keys()]);
    return c.body(schema, 200, { 'Content-Type': 'application/schema+json' });
  });

  return { routes, openPaths };
}

async function yamlOf(document: JsonSchema): Promise<string> {
  // Imported on demand, because this format is rarely used.
  const { stringify } = await import('yaml');
  return stringify(document, { aliasDuplicateObjects: false });
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
    summary:
      'Get this document. It is also available as YAML at `/openapi.yaml`, and in version 3.0 at `/openapi-3.0.json` and `/openapi-3.0.yaml`.',
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
