import { AppError } from '#contract/errors.ts';
import type { BodyReader } from '#serve/http/body.ts';
import { WORK_ERRORS } from '#serve/http/openapi/statuses.ts';
import {
  createDeclareRoute,
  type DeclareRoute,
  type Guard,
  type Route,
  undocumentedRoute,
} from '#serve/http/route.ts';
import { admit, type Lifecycle } from '#serve/lifecycle.ts';

/** How routes that run the model or its tokenizer are declared. */
export interface ModelRoutes {
  readonly route: DeclareRoute;
  /** Counts each request as running before its body is read, so that a shutdown waits for the request. */
  readonly guard: Guard;
  /** Reads the bodies of routes whose schema depends on the body. */
  readonly readBody: BodyReader;
}

export const modelRoutes = (lifecycle: Lifecycle, readBody: BodyReader): ModelRoutes => ({
  route: createDeclareRoute({ read: readBody, readOptional: readBody, errors: WORK_ERRORS }),
  guard: { enter: admit(lifecycle), errors: [] },
  readBody,
});

/** The guard of routes that only describe the model, and of direct routes that run it, which count their requests themselves. */
export const NO_GUARD: Guard = { errors: [] };

/** A route that models of this type do not support. It returns a 404 error with the reason. */
export const unsupportedRoute = (path: string, reason: string): Route =>
  undocumentedRoute({
    method: 'post',
    path,
    guard: NO_GUARD,
    run() {
      throw new AppError('NotFoundError', reason);
    },
  });
