import { AppError } from '../../../../contract/errors.ts';

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

/** The same for checks that name members of an object which the request holds. */
export async function inObject<Result>(object: string, check: () => Promise<Result>): Promise<Result> {
  try {
    return await check();
  } catch (error) {
    throw within(object, error);
  }
}

function within(object: string, error: unknown): unknown {
  if (!(error instanceof AppError) || !error.details) return error;
  const { code, message, reason, cause, retryAfterSeconds } = error;
  const details = error.details.map((detail) => ({
    ...detail,
    location: detail.location?.replace(/^body\./, `body.${object}.`),
  }));
  return new AppError(code, message, { cause, reason, retryAfterSeconds, details });
}
