import type { Operation } from '#serve/http/openapi/operation.ts';
import { STORE_ERRORS } from '../http/operations.ts';

/** The common parts of all operations for workers. */
export const WORKER_OPERATION = {
  tag: 'Workers',
  description:
    'Requires the token that the worker was started with. It is valid while the worker has its job.',
  errors: [401, 409, ...STORE_ERRORS],
} as const satisfies Partial<Operation>;
