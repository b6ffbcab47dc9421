import { type Context, type Handler, Hono, type MiddlewareHandler } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { Static, TSchema, TUnknown } from 'typebox';
import type { Principal } from '../access.ts';
import type { BodyReader } from './body.ts';
import type { HttpExchange, DirectRequest, DirectRoute } from './exchange.ts';
import { answerRequest } from './fetch-exchange.ts';
import type { Content, Operation } from './openapi/operation.ts';
import type { ErrorStatus } from './openapi/statuses.ts';
import type { ShellEnv } from './request-state.ts';

/**
 * Defines who can call a route: how requests are authenticated, and how the OpenAPI document
 * describes this.
 */
export interface Guard {
  /** Authenticates a request before its body is read. Default: only the app's check. */
  readonly enter?: MiddlewareHandler<ShellEnv> | undefined;
  /** Authenticates requests that the direct route handles in the same way. */
  readonly signIn?: ((headers: HttpExchange['headers']) => Promise<Principal>) | undefined;
  /** The first sentence of the operation's description, which states who can call the route. */
  readonly requires?: string | undefined;
  /** Error statuses of requests that the guard rejects, in addition to 401. */
  readonly errors: readonly ErrorStatus[];
  /** Whether the route can be called without credentials. */
  readonly isOpen?: boolean;
}

/** The guard for routes that can be called without credentials. */
export const OPEN: Guard = { errors: [], isOpen: true };

/** A route of an app, with its operation in the OpenAPI document. */
export interface Route {
  readonly method: Operation['method'];
  /** Pattern of the path in the app. */
  readonly path: string;
  readonly guard: Guard;
  readonly handler: Handler<ShellEnv>;
  /** Undefined for routes that are not part of the API. */
  readonly operation: Operation | undefined;
  /** Handles ordinary requests without the app. */
  readonly direct?: ((request: DirectRequest) => Promise<void>) | undefined;
  /** Runs around the handler, after the guard. */
  readonly around?: MiddlewareHandler<ShellEnv> | undefined;
  /** Whether repeating a request has no further effect, although the route changes something. */
  readonly isRepeatable?: boolean | undefined;
}

interface Declared<Path extends string> extends Omit<
  Operation,
  'path' | 'request' | 'answer' | 'errors' | 'open'
> {
  /**
   * Pattern of the path: `/v1/users/:id`, or `/v1/models/:id{.+}` for a parameter that can contain
   * slashes. The document uses the names in `parameters` instead, in the same order. A trailing
   * slash only appears in the document, because the app ignores it.
   */
  readonly path: Path;
  readonly guard: Guard;
  /** Error statuses in addition to the statuses that the guard, the body and the query can cause. */
  readonly errors?: readonly ErrorStatus[];
  /** Whether repeating a POST request has no further effect. Default: false. */
  readonly isRepeatable?: boolean;
}

interface Declaration<
  Path extends string,
  Body extends TSchema,
  Answer extends TSchema,
> extends Declared<Path> {
  /**
   * The request body. JSON is read and validated before the route runs. The route itself reads
   * bodies of other types.
   */
  readonly request?: Omit<Content, 'schema'> & {
    readonly schema: Body;
    readonly optional?: boolean;
    /** Whether the route itself reads the body, even though it is JSON. */
    readonly isRaw?: boolean;
  };
  readonly answer: Operation['answer'] & { readonly schema?: Answer };
  /** Handles the request. Returns the value to send, or a response. */
  readonly run: (
    c: Context<ShellEnv, Path>,
    body: Static<Body>,
  ) => Result<NoInfer<Answer>> | Promise<Result<NoInfer<Answer>>>;
}

type Result<Answer extends TSchema> = Readable<Static<Answer>> | Response;

/** A JSON value whose lists and objects can be readonly. */
type Readable<Value> = Value extends readonly (infer Item)[]
  ? readonly Readable<Item>[]
  : Value extends object
    ? string extends keyof Value
      ? object
      : { readonly [Key in keyof Value]: Readable<Value[Key]> }
    : Value;

/** Defines how an app's routes read JSON bodies. */
export interface RouteBodies {
  readonly read: BodyReader;
  /** Reads an optional body. */
  readonly readOptional: BodyReader;
  /** Error statuses that both readers can cause. */
  readonly errors: readonly ErrorStatus[];
  /**
   * Returns the function that creates responses from values of a schema. Default: the value is sent
   * as JSON.
   */
  readonly respondWith?: (schema: TSchema) => (c: Context<ShellEnv>, value: object) => Response;
}

/**
 * Declares a route. Its handler and its operation in the OpenAPI document are derived from the same
 * declaration.
 */
export type DeclareRoute = <
  const Path extends string,
  Body extends TSchema = TUnknown,
  Answer extends TSchema = TUnknown,
>(
  declaration: Declaration<Path, Body, Answer>,
) => Route;

export const createDeclareRoute =
  (bodies: RouteBodies): DeclareRoute =>
  ({ run, errors = [], isRepeatable, ...declaration }) => {
    const { method, path, guard, request, answer } = declaration;
    const json = request?.mediaType === undefined && request?.isRaw !== true ? request : undefined;
    const read = json?.optional === true ? bodies.readOptional : bodies.read;
    const [status = 200] = declaration.statuses ?? [];
    const respond =
      ('schema' in answer && answer.schema && bodies.respondWith?.(answer.schema)) ||
      ((c: Context<ShellEnv>, value: object) => c.json(value, status as ContentfulStatusCode));
    return {
      method,
      path: withoutSlash(path),
      guard,
      async handler(c) {
        const body = json && (await read(c, json.schema));
        // The body has been validated with the schema.
        const result: unknown = await run(c, body as Parameters<typeof run>[1]);
        if (result instanceof Response) return result;
        return 'empty' in answer ? c.body(null, 204) : respond(c, result as object);
      },
      operation: operationOf(declaration, [...errors, ...(json ? bodies.errors : [])]),
      isRepeatable,
    };
  };

const unread = (): Promise<never> => Promise.reject(new Error('a route without a body reads one'));

/** Declares a route whose requests have no body. */
export const bodilessRoute: DeclareRoute = createDeclareRoute({
  read: unread,
  readOptional: unread,
  errors: [],
});

interface DirectDeclaration extends Declared<string>, Pick<Operation, 'request' | 'answer'> {
  readonly direct: NonNullable<Route['direct']>;
}

/**
 * Declares a route that handles ordinary requests without the app. `parts` are the values of its path
 * parameters.
 */
export function directRoute({ direct, ...declaration }: DirectDeclaration): Route {
  const { method, path, guard, errors = [] } = declaration;
  const names = [...path.matchAll(PARAMETER)].map(([, name = '']) => name);
  return {
    method,
    path,
    guard,
    handler: (c) =>
      answerRequest(c, (exchange) =>
        direct({
          exchange,
          requestId: c.get('requestId'),
          caller: c.get('caller'),
          parts: names.map((name) => c.req.param(name) ?? ''),
        }),
      ),
    operation: operationOf(declaration, errors),
    direct,
  };
}

/** A route that is not part of the API, such as a page or a path that only older clients use. */
export const undocumentedRoute = <const Path extends string>({
  run,
  ...route
}: Pick<Route, 'method' | 'guard'> & {
  readonly path: Path;
  readonly run: (c: Context<ShellEnv, Path>) => Response | Promise<Response>;
}): Route => ({ ...route, handler: (c) => run(c), operation: undefined });

/** Adds routes to an app, in their order. */
export function addRoutes(app: Hono<ShellEnv>, routes: readonly Route[]): void {
  for (const { method, path, guard, around, handler } of routes) {
    const before = [guard.enter, around].filter((one) => one !== undefined);
    app.on(method.toUpperCase(), [path], ...before, handler);
  }
}

/** Whether one of the routes handles a request. */
export type RouteMatcher = (request: {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
}) => boolean;

export function createRouteMatcher(routes: readonly Route[]): RouteMatcher {
  const app = new Hono<ShellEnv>();
  addRoutes(app, routes);
  return ({ method = '', url = '' }) => {
    const [path = ''] = url.split('?', 1);
    return app.router.match(method, path)[0].length > 0;
  };
}

/** Returns the routes' operations for the OpenAPI document. */
export const operationsOf = (routes: readonly Route[]): readonly Operation[] =>
  routes.flatMap(({ operation }) => operation ?? []);

interface DirectOptions extends Pick<
  DirectRoute,
  'maxBodyBytes' | 'hostRules' | 'head' | 'accepts' | 'appHeader'
> {
  /** Whether requests with a query are left to the app. Default: false. */
  readonly withoutQuery?: boolean;
}

/**
 * Returns the routes that handle requests directly. Requests with path parameters that must be
 * decoded are left to the app.
 */
export const directRoutesOf = (
  routes: readonly Route[],
  { withoutQuery = false, ...shared }: DirectOptions,
): readonly DirectRoute[] =>
  routes.flatMap(({ path, guard, direct }): DirectRoute[] =>
    direct
      ? [
          {
            ...shared,
            route: path,
            path: new RegExp(
              `^${path.replaceAll(/:\w+/g, String.raw`([\w.-]+)`)}${withoutQuery ? '' : String.raw`(?:\?.*)?`}$`,
            ),
            signIn: guard.signIn,
            answer: direct,
          },
        ]
      : [],
  );

function operationOf(
  {
    guard,
    path,
    description,
    ...documented
  }: Omit<Declared<string>, 'errors'> & Pick<Operation, 'request' | 'answer'>,
  errors: readonly ErrorStatus[],
): Operation {
  const { parameters = [] } = documented;
  const sentences = [guard.requires, description].filter((one) => one !== undefined);
  const hasRules = parameters.some((one) => one.in === 'query' && !one.isList && hasRule(one.schema));
  return {
    ...documented,
    path: documentedPath(path, parameters),
    ...(sentences.length > 0 && { description: sentences.join(' ') }),
    errors: [...guard.errors, ...(hasRules ? [422 as const] : []), ...errors],
    ...(guard.isOpen === true && { open: true }),
  };
}

/** Whether the value of a query parameter can be invalid. Plain strings are always valid. */
const hasRule = (schema: TSchema | undefined): boolean =>
  schema !== undefined && ('enum' in schema || !('type' in schema) || schema.type !== 'string');

/**
 * The path in OpenAPI notation: `/v1/users/{user_id}`. Text after a parameter in its pattern is
 * part of the path.
 */
function documentedPath(path: string, parameters: NonNullable<Operation['parameters']>): string {
  const names = parameters.filter((one) => one.in === undefined || one.in === 'path').map(({ name }) => name);
  const documented = path.replaceAll(PARAMETER, (_parameter, _name, end = '') => {
    const name = names.shift();
    if (name === undefined) throw new Error(`${path} has a parameter that is not described.`);
    return `{${name}}${String(end).replaceAll('\\', '')}`;
  });
  if (names.length > 0) throw new Error(`${path} has no parameter ${names.join(', ')}.`);
  return documented;
}

/** Matches `:name`, and `:name{.+}` or `:name{[^/]+}`, whose pattern can also contain the end of the path. */
const PARAMETER = /:(\w+)(?:\{(?:\.|\[\^\/\])\+([^{}]*)\})?/g;

/** Apps accept paths with and without a trailing slash. */
const withoutSlash = (path: string): string =>
  path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
