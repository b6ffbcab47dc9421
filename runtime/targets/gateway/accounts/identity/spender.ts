import { AppError } from '../../../../contract/errors.ts';
import { matchesAny } from '../../../../core/text/name-pattern.ts';
import type { Payer, Spender, UserGrant } from './identity.ts';
import { notFound } from './checks.ts';
import type { Directory } from './directory.ts';

/** The spender of a request: the user of the key, the owner of the job, or with the master key the user that the request names. */
export async function spenderOf(
  directory: Directory,
  payer: Payer,
  user: string | undefined,
): Promise<Spender> {
  // Some clients send an unset user as an empty string.
  const named = payer.kind === 'work' ? payer.userId : user || undefined;
  if (payer.kind === 'key') {
    const { key, user, revision } = payer;
    if (named !== undefined && named !== user.userId) {
      throw forbidden("'user' field does not match the authenticated API key's user", 'user_mismatch');
    }
    // The key and its user were checked during authentication.
    return { user, key, revision };
  }
  if (named === undefined) {
    throw new AppError('MalformedError', "When using master key, 'user' field is required in request body", {
      reason: 'user_required',
    });
  }
  const { value, revision } = await directory.user(named);
  return { user: checkUser(named, value), key: undefined, revision };
}

export function checkUser(userId: string, user: UserGrant | undefined): UserGrant {
  if (!user || user.deleted) throw notFound(`User '${userId}' not found`, 'user_not_found');
  if (user.blocked) throw forbidden(`User '${userId}' is blocked`, 'user_blocked');
  return user;
}

export function checkModel({ key }: Spender, model: string): void {
  const allowed = key?.allowedModels ?? null;
  if (allowed !== null && !matchesAny(allowed, model)) {
    throw forbidden(`Model '${model}' is not allowed for this API key`, 'model_not_allowed');
  }
}

const forbidden = (message: string, reason: string): AppError =>
  new AppError('ForbiddenError', message, { reason });
