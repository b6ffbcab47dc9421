import { Type } from 'typebox';
import { AppError } from '../../../contract/errors.ts';
import { OPENAI_ERROR, openAiErrorBody } from '../openai-error.ts';
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
  /** What the schemas are written in: 3.0 has `nullable`, 3.1 is JSON Schema 2020-12. */
  readonly openapi?: '3.0.3' | '3.1.0';
  /** How errors look that are not OpenAI's; plain text unless said otherwise. */
  readonly errorContent?: (error: AppError, status: ErrorStatus) => Content;
  /** Whether each operation says that any other status is such an error as well. */
  readonly anyError?: boolean;
}

/** The OpenAPI document of these operations: https://spec.openapis.org/oas/v3.0.3, https://spec.openapis.org/oas/v3.1.0 */
export function openApiDocument(options: DocumentOptions): JsonSchema {
  const { title, version, description, operations, needsKey, openapi = '3.0.3' } = options;
  const schemas: Record<string, JsonSchema> = {};
  const paths: Record<string, JsonSchema> = {};
  for (const operation of operations) {
    (paths[operation.path] ??= {})[operation.method] = describe(operation, options, schemas);
  }
  return {
    openapi,
    info: { title, version, description },
    paths,
    components: {
      schemas,
      ...(needsKey ? { securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } } } : {}),
    },
    ...(needsKey ? { security: [{ apiKey: [] }] } : {}),
  };
}

function describe(
  operation: Operation,
  options: DocumentOptions,
  schemas: Record<string, JsonSchema>,
): JsonSchema {
  const { id, tag, summary, description, parameters = [], request, answer, open = false } = operation;
  const { needsKey, anyError = false } = options;
  const errors: ErrorStatus[] = [...operation.errors, ...(needsKey && !open ? [401 as const] : [])];
  const responses = errors.map(
    (status) => [status, errorAnswer(status, operation, options, schemas)] as const,
  );
  const other = { ...errorAnswer(500, operation, options, schemas), description: 'Any other error.' };
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(parameters.length === 0 ? {} : { parameters: parameters.map(describeParameter) }),
    ...(request ? { requestBody: { required: true, content: content(request, schemas) } } : {}),
    ...(open && needsKey ? { security: [] } : {}),
    responses: {
      200: {
        description: answer.description,
        ...headers(answer.headers),
        content: Object.assign(
          {},
          ...[answer, ...(operation.otherAnswers ?? [])].map((one) => content(one, schemas)),
        ) as JsonSchema,
      },
      ...Object.fromEntries(responses),
      ...(anyError ? { default: other } : {}),
    },
  };
}

type Parameters = NonNullable<Operation['parameters']>;

function describeParameter({
  name,
  description,
  example,
  schema = TEXT,
  ...place
}: Parameters[number]): JsonSchema {
  const { in: where = 'path' } = place;
  return {
    name,
    in: where,
    required: place.required ?? where === 'path',
    description,
    schema: { ...schema },
    example,
  };
}

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
  { errorContent = plainText }: DocumentOptions,
  schemas: Record<string, JsonSchema>,
): JsonSchema {
  const { code, meaning, example } = ERROR_STATUSES[status];
  const retry: AnswerHeader[] =
    status === 429 || status === 503
      ? [{ name: 'Retry-After', description: 'Seconds to wait.', type: 'integer' }]
      : [];
  const body = (openAiErrors ? openAiError : errorContent)(new AppError(code, example), status);
  return { description: meaning, ...headers(retry), content: content(body, schemas) };
}

const openAiError = (error: AppError, status: ErrorStatus): Content => ({
  schema: OPENAI_ERROR,
  examples: { error: openAiErrorBody(error, status) },
});

const plainText = ({ message }: AppError): Content => ({
  mediaType: 'text/plain',
  schema: TEXT,
  examples: { error: message },
});
