import { Type } from 'typebox';
import { AppError } from '#contract/errors.ts';
import { OPENAI_ERROR, openAiErrorBody } from '../openai-error.ts';
import { hoist, type JsonSchema } from './hoist.ts';
import type { AnswerHeader, Content, Operation } from './operation.ts';
import { ERROR_STATUSES, type ErrorStatus } from './statuses.ts';

const TEXT = Type.String();
const BEARER = { apiKey: { type: 'http', scheme: 'bearer' } };

export interface DocumentOptions {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  /** Whether the server requires an API key. */
  readonly needsKey: boolean;
  /** Alternative ways to send the key. Default: `Authorization: Bearer`. */
  readonly securitySchemes?: Readonly<Record<string, JsonSchema>>;
  readonly operations: readonly Operation[];
  /** OpenAPI version of the schemas: 3.0 has `nullable`, 3.1 is JSON Schema 2020-12. */
  readonly openapi?: '3.0.3' | '3.1.0';
  /** Format of errors for operations that do not use OpenAI's format. Default: plain text. */
  readonly errorContent?: (error: AppError, status: ErrorStatus, path: string) => Content;
  /**
   * Whether each operation also declares a default response for all other statuses, as an error in
   * this format.
   */
  readonly anyError?: boolean;
}

export interface OpenApiDocument extends JsonSchema {
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

/**
 * Creates the OpenAPI document of these operations: https://spec.openapis.org/oas/v3.0.3, https://spec.openapis.org/oas/v3.1.0
 */
export function openApiDocument(options: DocumentOptions): OpenApiDocument {
  const { title, version, description, operations, needsKey, openapi = '3.0.3' } = options;
  const { securitySchemes = BEARER } = options;
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
      ...(needsKey ? { securitySchemes } : {}),
    },
    ...(needsKey ? { security: Object.keys(securitySchemes).map((name) => ({ [name]: [] })) } : {}),
  };
}

function describe(
  operation: Operation,
  options: DocumentOptions,
  schemas: Record<string, JsonSchema>,
): JsonSchema {
  const { id, tag, summary, description, parameters = [], request, open = false } = operation;
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
    ...(request
      ? { requestBody: { required: request.optional !== true, content: content(request, schemas) } }
      : {}),
    ...(open && needsKey ? { security: [] } : {}),
    responses: {
      ...success(operation, schemas),
      ...Object.fromEntries(responses),
      ...ownErrors(operation, schemas),
      ...(anyError ? { default: other } : {}),
    },
  };
}

function success(
  { answer, otherAnswers = [], statuses = ['empty' in answer ? 204 : 200] }: Operation,
  schemas: Record<string, JsonSchema>,
): JsonSchema {
  const told = { description: answer.description, ...headers(answer.headers) };
  const contents = 'empty' in answer ? [] : [answer, ...otherAnswers].map((one) => content(one, schemas));
  const merged: JsonSchema = Object.assign({}, ...contents);
  const all = 'empty' in answer ? told : { ...told, content: merged };
  return Object.fromEntries(statuses.map((status) => [status, all]));
}

function ownErrors({ ownErrors: all = {} }: Operation, schemas: Record<string, JsonSchema>): JsonSchema {
  const described = Object.entries(all).map(([status, one]): [string, JsonSchema] => [
    status,
    { description: one.description, ...headers(one.headers), content: content(one, schemas) },
  ]);
  return Object.fromEntries(described);
}

type Parameters = NonNullable<Operation['parameters']>;

function describeParameter({
  name,
  description,
  example,
  schema = TEXT,
  isList = false,
  ...place
}: Parameters[number]): JsonSchema {
  const { in: where = 'path' } = place;
  return {
    name,
    in: where,
    required: place.required ?? where === 'path',
    description,
    schema: isList ? { type: 'array', items: { ...schema } } : { ...schema },
    example: isList ? [example] : example,
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
  { path, openAiErrors = false }: Operation,
  { errorContent = plainText }: DocumentOptions,
  schemas: Record<string, JsonSchema>,
): JsonSchema {
  const { code, meaning, example } = ERROR_STATUSES[status];
  const retry: AnswerHeader[] =
    status === 429 || status === 503
      ? [{ name: 'Retry-After', description: 'Seconds to wait.', type: 'integer' }]
      : [];
  const body = (openAiErrors ? openAiError : errorContent)(new AppError(code, example), status, path);
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
