import type { Payer } from '../../accounts/identity/identity.ts';
import type { Json } from '../../providers/shapes/chat.ts';
import type { RequestPolicy } from '../../providers/shapes/request-policy.ts';
import type { EndpointRules } from './endpoints/endpoint.ts';

/** The users that a request names. */
export interface NamedUsers {
  /** The user to bill; undefined if the credential decides it. */
  readonly payer: string | undefined;
  /** The client's own user, which is recorded without being checked. */
  readonly endUser: string | undefined;
}

/** Maximum length of a recorded name, so that requests cannot fill the database with it. */
const MAX_LENGTH = 256;

export function usersOf(
  rules: Pick<EndpointRules, 'user' | 'endUser'>,
  body: Json,
  caller: Payer,
  { userField }: RequestPolicy,
): NamedUsers {
  const user = rules.user(body, caller);
  // The payer of other credentials is always the user that the request or the job names.
  const isPayer = caller.kind !== 'key' || userField === 'payer';
  const endUser = (isPayer ? undefined : user) || rules.endUser(body);
  const isOwn = caller.kind === 'master' && endUser === user;
  return {
    payer: isPayer ? user : undefined,
    endUser: !endUser || isOwn ? undefined : endUser.slice(0, MAX_LENGTH),
  };
}
