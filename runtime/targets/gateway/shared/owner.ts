declare const spaceBrand: unique symbol;

/**
 * Identifies where a user's data belongs: the user's internal ID, which is random and never reused, and how
 * its key was created. Only `spaceOf` creates one, so that no store can be given a user ID instead.
 */
export type Space = string & { readonly [spaceBrand]: true };

/**
 * What a key separates: `own` for keys that the user created after a sign-in, `issued` for keys that a
 * gateway administrator created or rotated, and one realm per team for team keys.
 */
export type Realm = 'own' | 'issued' | `team:${string}`;

/** The creator of data. Null stands for the master key. */
export interface Owner {
  /** The user, for billing and messages. User IDs can be reused after the user is deleted, so this grants nothing. */
  readonly userId: string;
  readonly space: Space;
}

/** Whose data a caller can see: data in these spaces, all of one user's data or, with the master key, everyone's. */
export type Viewer = 'everyone' | { readonly spaces: readonly Space[] } | { readonly ownerId: string };

/** New data of a caller belongs to `owner`; the caller sees what `viewer` allows. */
export interface DataAccess {
  readonly owner: Owner | null;
  readonly viewer: Viewer;
}

/** The master key's access. */
export const ALL_DATA: DataAccess = { owner: null, viewer: 'everyone' };

/** The access of a user that does not exist. */
export const NO_DATA: Viewer = { spaces: [] };

export const spaceOf = (ownerId: string, realm: Realm): Space => `${ownerId}/${realm}` as Space;

/** The internal ID of the user to whom a space belongs. */
export const ownerIdOf = (space: Space): string => space.split('/', 1)[0] ?? '';

/** The common prefix of all of a user's spaces. */
export const spacesOfUser = (ownerId: string): string => `${ownerId}/`;

export const teamRealm = (teamOwnerId: string): Realm => `team:${teamOwnerId}`;

/** Whether a viewer can see data in a space; null is the master key's space. */
export function canSee(viewer: Viewer, space: Space | null): boolean {
  if (viewer === 'everyone') return true;
  if (space === null) return false;
  return 'spaces' in viewer ? viewer.spaces.includes(space) : space.startsWith(spacesOfUser(viewer.ownerId));
}
