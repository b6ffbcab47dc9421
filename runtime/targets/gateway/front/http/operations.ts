import type { Operation } from '../../../../serve/http/openapi/operation.ts';
import type { ErrorStatus } from '../../../../serve/http/openapi/statuses.ts';

/** Description of an operation that requires the master key. */
export const requiresMasterKey = (more?: string): string =>
  `Requires the master key.${more === undefined ? '' : ` ${more}`}`;

/** Errors of operations that use the database. */
export const STORE_ERRORS: readonly ErrorStatus[] = [500, 503];

/** Errors of operations that accept API keys: the user of a key can be blocked or deleted. */
export const KEY_ERRORS: readonly ErrorStatus[] = [403, 404, ...STORE_ERRORS];

export const noContent = (description: string): Operation['answer'] => ({ description, empty: true });
