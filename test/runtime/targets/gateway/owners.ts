import { type Owner, spaceOf, type Viewer } from '#gateway/shared/owner.ts';

/**
 * The owner of objects that a user creates with an issued key. The internal ID is the name, which is sufficient for
 * one store.
 */
export const ownerNamed = (userId: string): Owner => ({ userId, space: spaceOf(userId, 'issued') });

/** What a user can see with such a key. */
export const viewerNamed = (userId: string): Viewer => ({ spaces: [ownerNamed(userId).space] });
