import { Type } from 'typebox';
import { AppError } from '#contract/errors.ts';
import { needsKey } from '#serve/access.ts';
import type { JsonSchema } from '#serve/http/openapi/hoist.ts';
import { version30 } from '#serve/http/openapi/version-3-0.ts';
import { openApiDocument, type OpenApiDocument } from '#serve/http/openapi/document.ts';
import type { MetricsAccess } from '#core/cli/common-flags.ts';
import { monitoringRoutes } from '#serve/http/health.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { answerOf } from '#serve/http/openapi/describe.ts';
import type { ManagerContext } from '../../context.ts';
import type { ManagerHttpParts } from '../parts.ts';
import { OPEN, operationsOf, type Route, undocumentedRoute } from '#serve/http/route.ts';
import { problem } from '../problem.ts';
import { schemaPath } from '../struct-answer.ts';
import { closed } from '#serve/http/schemas.ts';
import { listOrNull, optionalTextMember, struct } from '../schemas/struct.ts';

export interface DocumentRoutes {
  readonly routes: readonly Route[];
  /** Paths without authentication, because their content is public. */
  readonly openPaths: readonly string[];
}

/** `/openapi.json`, `/openapi-3.0.json`, both as YAML, and `/schemas/{Type}.json`: machine-readable descriptions of the API. */
export function managerDocumentRoutes(
  { kernel }: ManagerContext,
  operations: readonly Operation[],
  { route }: Pick<ManagerHttpParts, 'route'>,
  metrics: MetricsAccess = 'key',
): DocumentRoutes {
  const text = (path: string, mediaType: string, textOf: () => string | Promise<string>): Route =>
    undocumentedRoute({
      method: 'get',
      path,
      guard: OPEN,
      run: async (c) => c.body(await textOf(), 200, { 'Content-Type': mediaType }),
    });
  const routes = [
    route({
      method: 'get',
      path: '/openapi.json',
      guard: OPEN,
      id: 'openapi',
      tag: 'Operations',
      summary:
        'Get this document. It is also available as YAML at `/openapi.yaml`, and as OpenAPI 3.0 at `/openapi-3.0.json` and `/openapi-3.0.yaml`.',
      answer: {
        ...answerOf('An OpenAPI 3.1 document.', anyDocument, { openapi: '3.1.0' }),
        mediaType: 'application/openapi+json',
      },
      run: (c) => c.body(json, 200, { 'Content-Type': 'application/openapi+json' }),
    }),
    text('/openapi.yaml', 'application/openapi+yaml', () => yamlOf(document)),
    // For programs that cannot read version 3.1. Created on demand, because it is rarely used.
    text('/openapi-3.0.json', 'application/openapi+json', () => JSON.stringify(version30(document))),
    text('/openapi-3.0.yaml', 'application/openapi+yaml', () => yamlOf(version30(document))),
    {
      ...undocumentedRoute({
        method: 'get',
        path: '/schemas/:file',
        guard: OPEN,
        run(c) {
          const file = c.req.param('file');
          const schema = schemas.get(file.replace(/\.json$/, ''));
          if (!schema || !file.endsWith('.json')) throw unknownSchema(file, [...schemas.keys()]);
          return c.body(schema, 200, { 'Content-Type': 'application/schema+json' });
        },
      }),
      operation: GET_SCHEMA,
    },
  ];
  const document = openApiDocument({
    openapi: '3.1.0',
    title: 'mcp-manager',
    version: 'v1',
    description: DESCRIPTION,
    needsKey: needsKey(kernel.access),
    operations: [
      ...operations,
      ...operationsOf(monitoringRoutes(kernel, { metrics })),
      ...operationsOf(routes),
    ],
    anyError: true,
    errorContent: (error, status) => ({
      mediaType: 'application/problem+json',
      schema: errorModel,
      examples: { error: problem(error, status) },
    }),
  });
  const json = JSON.stringify(document);
  const schemas = publishedSchemas(document);
  const openPaths = routes.map(({ path }) => path).filter((path) => !path.includes(':'));
  return { routes, openPaths: [...openPaths, ...[...schemas.keys()].map((type) => schemaPath(type))] };
}

async function yamlOf(document: JsonSchema): Promise<string> {
  // Imported on demand, because YAML is rarely used.
  const { stringify } = await import('yaml');
  return stringify(document, { aliasDuplicateObjects: false });
}

const unknownSchema = (file: string, known: readonly string[]): AppError =>
  new AppError('NotFoundError', `Unknown schema: ${file.slice(0, 100)}. Schemas: ${known.join(', ')}.`);

const DESCRIPTION =
  'Runs a set of MCP servers and makes their tools, prompts and resources available over HTTP.\n\nNames of servers and tools are case-insensitive. Errors are `application/problem+json`. Bodies contain the URL of their schema in `$schema`.';

const anyDocument = Type.Unsafe({ type: 'object', additionalProperties: true });

/**
 * The route's path leaves the file extension open, so that unknown names return the list of schemas. The
 * document includes the extension.
 */
const GET_SCHEMA: Operation = {
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
};

/** Returns every named schema of an OpenAPI 3.1 document as a standalone JSON Schema text. */
function publishedSchemas(document: OpenApiDocument): ReadonlyMap<string, string> {
  const { schemas } = document.components;
  return new Map(
    Object.entries(schemas).map(([name, schema]) => {
      const definitions = Object.fromEntries(
        [...namesIn(schema, schemas)].map((used) => [used, schemas[used]]),
      );
      const own = { $schema: DIALECT, title: name, ...schema, $defs: definitions };
      return [name, JSON.stringify(own).replaceAll(`"${COMPONENTS}`, '"#/$defs/')];
    }),
  );
}

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';
const COMPONENTS = '#/components/schemas/';

/** Returns the schemas that a schema references, directly or indirectly. */
function namesIn(
  schema: JsonSchema,
  schemas: Record<string, JsonSchema>,
  found: Set<string> = new Set(),
): Set<string> {
  for (const [, name = ''] of JSON.stringify(schema).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    if (found.has(name)) continue;
    found.add(name);
    namesIn(schemas[name] ?? {}, schemas, found);
  }
  return found;
}

const errorDetail = closed('ErrorDetail', {
  message: optionalTextMember('Description of the problem.'),
  location: optionalTextMember(
    'Path into the request, for example `body.arguments.city`, `path.tool` or `query.detail`.',
  ),
  value: Type.Optional(Type.Unsafe({ description: 'The value at the location.' })),
});

/** The body of error responses: https://www.rfc-editor.org/rfc/rfc9457 */
export const errorModel = struct('ErrorModel', {
  type: Type.Optional(
    Type.String({
      format: 'uri',
      default: 'about:blank',
      description: 'URI that identifies the error type.',
    }),
  ),
  title: optionalTextMember('Short summary of the error type.'),
  status: Type.Optional(Type.Integer({ format: 'int64', description: 'HTTP status code.' })),
  detail: optionalTextMember('Description of this occurrence.'),
  instance: Type.Optional(
    Type.String({ format: 'uri', description: 'URI that identifies this occurrence.' }),
  ),
  errors: Type.Optional(listOrNull(errorDetail, 'Details of each problem.')),
});
