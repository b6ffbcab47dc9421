import { Type } from 'typebox';
import { AppError } from '../../../contract/errors.ts';
import { OPENAI_ERROR, OPENAI_ERRORS } from '../openai-error.ts';
import { hoist, type JsonSchema } from './hoist.ts';
import type { AnswerHeader, Content, Operation } from './operation.ts';
import { ERROR_STATUSES, type ErrorStatus } from './statuses.ts';

const TEXT = Type.String();

export interface DocumentOptions {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  /** Whether the server asks for an API key. */
  readonly needsKey: boolean;
  readonly operations: readonly Operation[];
}

/** The OpenAPI 3.0 document of these operations: https://spec.openapis.org/oas/v3.0.3 */
export function openApiDocument({ operations, needsKey, ...info }: DocumentOptions): JsonSchema {
  const schemas: Record<string, JsonSchema> = {};
  const paths: Record<string, JsonSchema> = {};
  for (const operation of operations) {
    (paths[operation.path] ??= {})[operation.method] = describe(operation, needsKey, schemas);
  }
  return {
    openapi: '3.0.3',
    info,
    paths,
    components: {
      schemas,
      ...(needsKey ? { securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } } } : {}),
    },
    ...(needsKey ? { security: [{ apiKey: [] }] } : {}),
  };
}

function describe(operation: Operation, needsKey: boolean, schemas: Record<string, JsonSchema>): JsonSchema {
  const { id, tag, summary, description, parameters = [], request, answer, open = false } = operation;
  const errors: ErrorStatus[] = [...operation.errors, ...(needsKey && !open ? [401 as const] : [])];
  const responses = errors.map((status) => [status, errorAnswer(status, operation, schemas)] as const);
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(parameters.length === 0 ? {} : { parameters: parameters.map(pathParameter) }),
    ...(request ? { requestBody: { required: true, content: content(request, schemas) } } : {}),
    ...(open && needsKey ? { security: [] } : {}),
    responses: {
      200: {
        description: answer.description,
        ...headers(answer.headers),
        content: content(answer, schemas),
      },
      ...Object.fromEntries(responses),
    },
  };
}

const pathParameter = ({ name, description, example }: NonNullable<Operation['parameters']>[number]) => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: { type: 'string' },
  example,
});

function headers(all: readonly AnswerHeader[] = []): JsonSchema {
  if (all.length === 0) return {};
  const described = all.map(({ name, description, type }) => [name, { description, schema: { type } }]);
  return { headers: Object.fromEntries(described) };
}

function content(
  { mediaType = 'application/json', schema, examples }: Content,
  schemas: Record<string, JsonSchema>,
): JsonSchema {
  const named = Object.entries(examples).map(([name, value]) => [name, { value }]);
  return { [mediaType]: { schema: hoist(schema, schemas), examples: Object.fromEntries(named) } };
}

function errorAnswer(
  status: ErrorStatus,
  { openAiErrors = false }: Operation,
  schemas: Record<string, JsonSchema>,
): JsonSchema {
  const { code, meaning, example } = ERROR_STATUSES[status];
  const retry: AnswerHeader[] =
    status === 429 || status === 503
      ? [{ name: 'Retry-After', description: 'Seconds to wait.', type: 'integer' }]
      : [];
  const body: Content = openAiErrors
    ? {
        schema: OPENAI_ERROR,
        examples: { error: OPENAI_ERRORS.body(new AppError(code, example), status) },
      }
    : { mediaType: 'text/plain', schema: TEXT, examples: { error: example } };
  return { description: meaning, ...headers(retry), content: content(body, schemas) };
}
