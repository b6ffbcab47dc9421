import type { Operation } from '../../../../serve/http/openapi/operation.ts';
import type { ErrorStatus } from '../../../../serve/http/openapi/statuses.ts';

/** Of routes that only the master key opens. */
export const onlyMaster = (more?: string): string =>
  `Needs the master key.${more === undefined ? '' : ` ${more}`}`;

/** Of everything that looks into the database. */
export const STORE_ERRORS: readonly ErrorStatus[] = [500, 503];

/** Of everything that keys open: the user of one may be blocked, or deleted. */
export const KEY_ERRORS: readonly ErrorStatus[] = [403, 404, ...STORE_ERRORS];

export const noContent = (description: string): Operation['answer'] => ({ description, empty: true });
