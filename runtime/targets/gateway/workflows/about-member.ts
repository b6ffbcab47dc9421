import { AppError } from '../../../contract/errors.ts';

/** Says which member of the request is wrong. */
export function inMember<Result>(member: string, check: () => Result): Result {
  try {
    return check();
  } catch (error) {
    throw about(member, error);
  }
}

/** An error that we did not foresee stays what it is. */
export function about(member: string, error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'InputError' || error.details) return error;
  const { message, reason, cause } = error;
  return new AppError('InputError', message, {
    cause,
    reason,
    details: [{ location: `body.${member}`, message }],
  });
}
