declare const spaceBrand: unique symbol;

/**
 * Where data of a user belong: the internal id of the user, which is random and never used again, and how its key was made. Only
 * `spaceOf` creates one, so that no store can be given the id of a user instead.
 */
export type Space = string & { readonly [spaceBrand]: true };

/**
 * What a key separates: `own` for keys that the user has created with a sign-in, `issued` for keys that an administrator of the gateway
 * has created or rotated, and one realm per team for keys of the team.
 */
export type Realm = 'own' | 'issued' | `team:${string}`;

/** Who creates data. Null stands for the master key. */
export interface Owner {
  /** The user, for bills and messages. It can be used again after the user is deleted, so it grants nothing. */
  readonly userId: string;
  readonly space: Space;
}

/** Whose data a caller can see: that of these spaces, all of one user, or with the master key that of everyone. */
export type Viewer = 'everyone' | { readonly spaces: readonly Space[] } | { readonly ownerId: string };

/** What a caller creates belongs to `owner`, and what `viewer` allows is visible. */
export interface DataAccess {
  readonly owner: Owner | null;
  readonly viewer: Viewer;
}

/** The access of the master key. */
export const ALL_DATA: DataAccess = { owner: null, viewer: 'everyone' };

/** The access of a user that does not exist. */
export const NO_DATA: Viewer = { spaces: [] };

export const spaceOf = (ownerId: string, realm: Realm): Space => `${ownerId}/${realm}` as Space;

/** The start of all spaces of a user. */
export const spacesOfUser = (ownerId: string): string => `${ownerId}/`;

export const teamRealm = (teamOwnerId: string): Realm => `team:${teamOwnerId}`;

/** Whether a viewer can see what is in a space; null is that of the master key. */
export function canSee(viewer: Viewer, space: Space | null): boolean {
  if (viewer === 'everyone') return true;
  if (space === null) return false;
  return 'spaces' in viewer ? viewer.spaces.includes(space) : space.startsWith(spacesOfUser(viewer.ownerId));
}
