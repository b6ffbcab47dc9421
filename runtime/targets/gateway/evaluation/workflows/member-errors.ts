import { AppError } from '#contract/errors.ts';

/** Runs a check and prefixes its errors' locations with the request member. */
export function inMember<Result>(member: string, check: () => Result): Result {
  try {
    return check();
  } catch (error) {
    throw atMember(member, error);
  }
}

/** Same for an asynchronous check. */
export async function inMemberAsync<Result>(member: string, check: () => Promise<Result>): Promise<Result> {
  try {
    return await check();
  } catch (error) {
    throw atMember(member, error);
  }
}

/** Adds a member as an InputError's location. Other errors are returned unchanged. */
export function atMember(member: string, error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'InputError' || error.details) return error;
  const { message, reason, cause } = error;
  return new AppError('InputError', message, {
    cause,
    reason,
    details: [{ location: `body.${member}`, message }],
  });
}

/** Runs a check of an object in the request and prefixes its errors' locations with the object's name. */
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
