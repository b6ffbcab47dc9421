import { Type } from 'typebox';
import { AppError } from '#contract/errors.ts';
import { lazy } from '#core/values/lazy.ts';
import { monitoringRoutes } from '#serve/http/health.ts';
import { answerOf } from '#serve/http/openapi/describe.ts';
import { openApiDocument } from '#serve/http/openapi/document.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import type { ErrorStatus } from '#serve/http/openapi/statuses.ts';
import { OPEN, operationsOf, type Route, undocumentedRoute } from '#serve/http/route.ts';
import { closed, orNull } from '#serve/http/schemas.ts';
import type { GatewayContext } from '../context.ts';
import type { GatewayAppOptions } from './app-options.ts';
import { geminiErrorBody, GEMINI_PATH } from './gemini-errors.ts';
import { apiErrorBody, errorBody } from './http/errors.ts';
import { API, type HttpParts } from './http/parts.ts';

const gatewayError = closed('Error', {
  type: Type.Optional(Type.Literal('error', { description: 'Only on `/v1/messages`.' })),
  detail: Type.String({ description: 'Error message.' }),
  error: closed(
    'ErrorDetail',
    {
      message: Type.String({ description: 'Error message, same as `detail`.' }),
      type: Type.String({ description: 'Error type; on `/v1/messages`, as in Anthropic’s API.' }),
      code: Type.String({ description: 'Stable error code, e.g. `budget_exceeded`.' }),
      param: orNull(Type.String({ description: 'The invalid field in the request.' })),
    },
    'The error in OpenAI’s and Anthropic’s format.',
  ),
});

/** The body of errors in the Gemini API's format. */
const geminiError = closed('GeminiError', {
  detail: Type.String({ description: 'Error message.' }),
  error: closed(
    'GeminiErrorStatus',
    {
      code: Type.Integer({ description: 'HTTP status.' }),
      message: Type.String({ description: 'Error message, same as `detail`.' }),
      status: Type.String({ description: 'Status name used by Google’s APIs.' }),
      details: Type.Array(
        closed('GeminiErrorInfo', {
          '@type': Type.String(),
          reason: Type.String({ description: 'Stable error code, e.g. `budget_exceeded`.' }),
          domain: Type.String(),
        }),
      ),
    },
    'The error in Google’s API format.',
  ),
});

/** The body of a 422 response on paths under `/api/v1`. */
const apiProblems = closed('Problems', {
  detail: Type.Array(
    closed('Problem', {
      type: Type.String({ description: 'Kind of problem.' }),
      loc: Type.Array(Type.Union([Type.String(), Type.Integer()]), {
        description: 'Location in the request, e.g. `["body", "dataset"]`.',
      }),
      msg: Type.String(),
      input: Type.Unknown({ description: 'The invalid value, if it is short.' }),
    }),
  ),
  error: gatewayError.properties.error,
});

/**
 * `/` describes the server; `/openapi.json` and `/openapi.yaml` describe its API. These paths do not
 * require a credential.
 */
export function documentRoutes(
  { kernel, version, signIn }: GatewayContext,
  operations: readonly Operation[],
  { metrics }: GatewayAppOptions,
  { route }: Pick<HttpParts, 'route'>,
): readonly Route[] {
  const index = { ...INDEX, version, ...(signIn && { sign_in: '/auth/sign-in' }) };
  const routes: readonly Route[] = [
    route({
      method: 'get',
      path: '/',
      guard: OPEN,
      id: 'index',
      tag: 'Operations',
      summary: 'Describe the server.',
      answer: answerOf(
        'Links to other endpoints.',
        closed('Index', {
          name: Type.Literal('gateway'),
          version: Type.String(),
          documentation: Type.String(),
          openapi: Type.String(),
          health: Type.String(),
          sign_in: Type.Optional(
            Type.String({ description: 'Start of the OpenID Connect sign-in, if configured.' }),
          ),
        }),
        { ...INDEX, version: '0.1.0' },
      ),
      run: () => index,
    }),
    route({
      method: 'get',
      path: '/openapi.json',
      guard: OPEN,
      id: 'openapi',
      tag: 'Operations',
      summary: 'Get this document. `/openapi.yaml` returns it as YAML.',
      answer: {
        ...answerOf('An OpenAPI 3.1 document.', Type.Unsafe({ type: 'object', additionalProperties: true }), {
          openapi: '3.1.0',
        }),
        mediaType: 'application/openapi+json',
      },
      run: (c) => c.body(json(), 200, { 'Content-Type': 'application/openapi+json' }),
    }),
    undocumentedRoute({
      method: 'get',
      path: '/openapi.yaml',
      guard: OPEN,
      async run(c) {
        // Imported on demand, because YAML is rarely requested.
        const { stringify } = await import('yaml');
        const text = stringify(document(), { aliasDuplicateObjects: false });
        return c.body(text, 200, { 'Content-Type': 'application/openapi+yaml' });
      },
    }),
  ];
  // The document is created on demand, because creating it would take a quarter of the startup time.
  const document = lazy(() =>
    openApiDocument({
      openapi: '3.1.0',
      title: 'gateway',
      version,
      description: DESCRIPTION,
      needsKey: true,
      securitySchemes: SECURITY_SCHEMES,
      operations: [
        ...operations,
        ...operationsOf(monitoringRoutes(kernel, { metrics })),
        ...operationsOf(routes),
      ],
      anyError: true,
      errorContent: (error, status, path) => ({
        schema: path.startsWith(GEMINI_PATH)
          ? geminiError
          : path.startsWith(API) && status === 422
            ? apiProblems
            : gatewayError,
        examples: { error: exampleOf(error, status, path) },
      }),
    }),
  );
  const json = lazy(() => JSON.stringify(document()));
  return routes;
}

const INDEX = {
  name: 'gateway',
  documentation: '/docs',
  openapi: '/openapi.json',
  health: '/health',
} as const;

const DESCRIPTION =
  'LLM gateway with API keys, users, budgets and usage tracking.\n\nAuthenticate with the master key or with an API key. A key with the scope `models` can call models; a key with the scope `manage` can manage the gateway with the role of its user. The master key has the role admin. If a request has several of these headers, the first one applies: `X-Gateway-Key`, `Otari-Key`, `Authorization`, `x-api-key`, `x-goog-api-key`, `api-key`. Errors contain a message in `detail` and `error.message`, and a stable code in `error.code`.';

const SECURITY_SCHEMES = {
  gatewayKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Gateway-Key',
    description: '`Bearer <key>`.',
  },
  bearer: { type: 'http', scheme: 'bearer' },
  anthropicKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'The key without a prefix.' },
} as const;

/** Example errors, for the errors whose message or code differs from those of other servers. */
const EXAMPLES: Readonly<Partial<Record<ErrorStatus, readonly [message: string, reason: string]>>> = {
  401: ['Missing X-Gateway-Key or Authorization header', 'missing_credentials'],
  403: ["User 'ada' has exceeded budget limit", 'budget_exceeded'],
  404: ["User with id 'ada' not found", 'user_not_found'],
  409: ["User with id 'ada' already exists", 'user_exists'],
  422: ['rpm must be at least 1, not 0', 'invalid_request'],
  429: ['Rate limit exceeded', 'rate_limited'],
  502: ['LLM provider error', 'provider_error'],
  504: ['LLM provider timeout', 'provider_timeout'],
};

function exampleOf(error: AppError, status: ErrorStatus, path: string): object {
  const [message = error.message, reason] = EXAMPLES[status] ?? [];
  const bodyOf = path.startsWith(GEMINI_PATH)
    ? geminiErrorBody
    : path.startsWith(API)
      ? apiErrorBody
      : errorBody;
  return bodyOf(new AppError(error.code, message, { reason }), status, '');
}
