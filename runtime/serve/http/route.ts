import type { Context, Handler, Hono, MiddlewareHandler } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { Static, TSchema, TUnknown } from 'typebox';
import type { Principal } from '../access.ts';
import type { BodyReader } from './body.ts';
import type { HttpExchange, DirectRequest, DirectRoute } from './exchange.ts';
import { answerRequest } from './fetch-exchange.ts';
import type { Content, Operation } from './openapi/operation.ts';
import type { ErrorStatus } from './openapi/statuses.ts';
import type { ShellEnv } from './request-state.ts';

/** Who can call a route: how its requests are authenticated, and how the document describes it. */
export interface Guard {
  /** Authenticates a request before its body is read. Default: only the app's check. */
  readonly enter?: MiddlewareHandler<ShellEnv> | undefined;
  /** Same, for requests on the direct route. */
  readonly signIn?: ((headers: HttpExchange['headers']) => Promise<Principal>) | undefined;
  /** Who can call the route: the first sentence of its operation's description. */
  readonly requires?: string | undefined;
  /** Error statuses of requests that the guard rejects, in addition to 401. */
  readonly errors: readonly ErrorStatus[];
  /** Whether requests need no credential. */
  readonly isOpen?: boolean;
}

/** The guard for routes that need no credential. */
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
  /** Handles plain requests without the app. */
  readonly direct?: ((request: DirectRequest) => Promise<void>) | undefined;
}

interface Declared<Path extends string> extends Omit<
  Operation,
  'path' | 'request' | 'answer' | 'errors' | 'open'
> {
  /**
   * Pattern of the path: `/v1/users/:id`, or `/v1/models/:id{.+}` for a parameter that can contain
   * slashes. The document uses the names in `parameters` instead, in the same order. A trailing
   * slash is only documented.
   */
  readonly path: Path;
  readonly guard: Guard;
  /** Error statuses in addition to those of the guard, the body and the query. */
  readonly errors?: readonly ErrorStatus[];
}

interface Declaration<
  Path extends string,
  Body extends TSchema,
  Answer extends TSchema,
> extends Declared<Path> {
  /**
   * The body. JSON is read and validated before the route runs; bodies of other types are read by
   * the route.
   */
  readonly request?: Omit<Content, 'schema'> & {
    readonly schema: Body;
    readonly optional?: boolean;
    /** Whether the route reads the body itself, although it is JSON. */
    readonly isRaw?: boolean;
  };
  readonly answer: Operation['answer'] & { readonly schema?: Answer };
  /** Responds with the result of `answer`, which can also be a response. */
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

/** How an app's routes read JSON. */
export interface RouteBodies {
  readonly read: BodyReader;
  /** Reads an optional body. */
  readonly readOptional: BodyReader;
  /** Error statuses of both. */
  readonly errors: readonly ErrorStatus[];
  /** Returns the function that responds with values of a schema. Default: a JSON response. */
  readonly respondWith?: (schema: TSchema) => (c: Context<ShellEnv>, value: object) => Response;
}

/** Declares a route. Its handler and its operation in the document are derived from one description. */
export type DeclareRoute = <
  const Path extends string,
  Body extends TSchema = TUnknown,
  Answer extends TSchema = TUnknown,
>(
  declaration: Declaration<Path, Body, Answer>,
) => Route;

export const createDeclareRoute =
  (bodies: RouteBodies): DeclareRoute =>
  ({ run, errors = [], ...declaration }) => {
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
        // The schema has validated the body.
        const result: unknown = await run(c, body as Parameters<typeof run>[1]);
        if (result instanceof Response) return result;
        return 'empty' in answer ? c.body(null, 204) : respond(c, result as object);
      },
      operation: operationOf(declaration, [...errors, ...(json ? bodies.errors : [])]),
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
 * Declares a route that handles plain requests without the app. `parts` are the values of its path
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
  for (const { method, path, guard, handler } of routes) {
    if (guard.enter) app.on(method.toUpperCase(), path, guard.enter, handler);
    else app.on(method.toUpperCase(), path, handler);
  }
}

/** The routes' operations, for the document. */
export const operationsOf = (routes: readonly Route[]): readonly Operation[] =>
  routes.flatMap(({ operation }) => operation ?? []);

interface DirectOptions extends Pick<DirectRoute, 'maxBodyBytes' | 'hostRules' | 'head' | 'accepts'> {
  /** Whether the app handles requests with a query. Default: false. */
  readonly withoutQuery?: boolean;
}

/** The routes that handle requests directly. Requests whose path parameter must be decoded go to the app. */
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

/** Whether a query value can be invalid: plain strings are always valid. */
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

/** `:name`, or `:name{.+}` or `:name{[^/]+}` with the end of the path in its pattern. */
const PARAMETER = /:(\w+)(?:\{(?:\.|\[\^\/\])\+([^{}]*)\})?/g;

/** Apps accept paths with and without it. */
const withoutSlash = (path: string): string =>
  path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
