import type { Context } from 'hono';
import { createBodyReader } from '#serve/http/body.ts';
import { BODY_ERRORS } from '#serve/http/openapi/statuses.ts';
import { createDeclareRoute, type DeclareRoute, type Guard } from '#serve/http/route.ts';
import type { GatewayContext } from '../context.ts';
import type { WorkerClaim } from '../evaluation/jobs/worker-access.ts';
import type { GatewayAppOptions } from './app-options.ts';

/**
 * Maximum size of a batch. It is large enough for several rows with fields of the maximum length in a
 * dataset.
 */
const MAX_BATCH_BYTES = 256 * 1024 * 1024;

/** Definitions shared by the worker routes. */
export interface WorkerParts {
  readonly route: DeclareRoute;
  readonly worker: Guard;
  /** The job of the worker that sends a request. */
  readonly claimOf: (c: Context) => WorkerClaim;
}

export function workerParts(
  access: GatewayContext['jobs']['access'],
  server: Pick<GatewayAppOptions['server'], 'bodyTimeoutMs'>,
): WorkerParts {
  const readBody = createBodyReader({
    maxBodyBytes: MAX_BATCH_BYTES,
    timeoutMs: server.bodyTimeoutMs,
    emptyMessage: 'The request has no body.',
    tooLargeMessage: (limit) => `The batch is larger than ${limit} bytes. Reduce \`batch_size\`.`,
  });
  const declare = createDeclareRoute({ read: readBody, readOptional: readBody, errors: BODY_ERRORS });
  // Workers repeat requests, which state the rows that they are about.
  const route: DeclareRoute = (declaration) => ({ ...declare(declaration), isRepeatable: true });
  const claims = new WeakMap<Request, WorkerClaim>();
  const worker: Guard = {
    async enter(c, next) {
      claims.set(c.req.raw, await access.claim(c.req.raw.headers));
      await next();
    },
    requires:
      'Requires the token that the worker was started with. The token is valid while the worker holds the job.',
    errors: [409, 500, 503],
  };
  const claimOf = (c: Context): WorkerClaim => {
    const claim = claims.get(c.req.raw);
    if (!claim) throw new Error(`${c.req.path} reads the job of a worker, but has no guard`);
    return claim;
  };
  return { route, worker, claimOf };
}
