import type { Caller, Identity } from '../../accounts/identity/identity.ts';
import type { StoredRequest } from './stored.ts';
import type { Viewer } from '../../shared/owner.ts';

/** Whose objects a request can see: what its key allows; with the master key those of the user that it names, or all. */
export const viewerOf = async (
  { viewer }: Pick<Identity, 'viewer'>,
  { caller, user }: Pick<StoredRequest, 'caller' | 'user'>,
): Promise<Viewer> => await viewer(caller, user);

export const keyIdOf = (caller: Caller): string | null => (caller.kind === 'key' ? caller.key.id : null);
