import type { Caller } from '../../accounts/identity/identity.ts';
import type { Viewer } from '../../accounts/objects/objects.ts';
import type { StoredRequest } from './stored.ts';

/** Whose objects a request can see: those of the user of its key; with the master key those of the user that it names, or all. */
export const viewerOf = ({ caller, user }: Pick<StoredRequest, 'caller' | 'user'>): Viewer =>
  caller.kind === 'key' ? caller.user.userId : user;

export const keyIdOf = (caller: Caller): string | null => (caller.kind === 'key' ? caller.key.id : null);
