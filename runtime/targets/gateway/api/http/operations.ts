import type { Operation } from '#serve/http/openapi/operation.ts';
import type { ErrorStatus } from '#serve/http/openapi/statuses.ts';

/** Description of an operation that requires a role. The master key has all of them. */
export const requiresRole = (role: 'admin' | 'viewer', more?: string): string =>
  `Requires the master key or the role ${role}.${more === undefined ? '' : ` ${more}`}`;

/** Description of an operation that depends on what the caller manages. */
export const requiresManager = (rule: string, more?: string): string =>
  `Requires the master key, or a key with the scope \`manage\`: ${rule}${more === undefined ? '' : ` ${more}`}`;

/** Errors of operations that use the database. */
export const STORE_ERRORS: readonly ErrorStatus[] = [500, 503];

/** Errors of operations of experiments that read a body. One that is not JSON does not match the schema. */
export const LAB_BODY_ERRORS: readonly ErrorStatus[] = [408, 413, 422];

/** Errors of operations that accept API keys: the user of a key can be blocked or deleted. */
export const KEY_ERRORS: readonly ErrorStatus[] = [403, 404, ...STORE_ERRORS];

export const noContent = (description: string): Operation['answer'] => ({ description, empty: true });
