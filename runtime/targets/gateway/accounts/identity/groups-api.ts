import type { Group, GroupChanges, NewGroup } from '../fields/groups.ts';
import type { ListPage } from '../../store/page.ts';
import type { GroupQuery } from './list-queries.ts';

export interface Groups {
  create(group: NewGroup): Promise<Group>;
  list(page: ListPage, query?: GroupQuery): Promise<readonly Group[]>;
  get(id: string): Promise<Group>;
  change(id: string, changes: GroupChanges): Promise<Group>;
  /**
   * Deletes a team and disables its keys and service accounts, or deletes an organization, which must have no
   * teams. Usage is kept.
   */
  delete(id: string): Promise<void>;
}

export const TEAM_ROLES = ['admin', 'member'] as const;
export type TeamRole = (typeof TEAM_ROLES)[number];

export interface Membership {
  readonly teamId: string;
  readonly userId: string;
  readonly role: TeamRole;
  readonly createdAt: number;
}

/** A team that a user can join by accepting the invitation. */
export interface Invitation extends Membership {
  readonly invitedBy: string | null;
  readonly expiresAt: number;
}

/**
 * Team invitations. They contain user IDs that do not have to exist, so that an invitation reveals nothing
 * about users.
 */
export interface Invitations {
  /** Invites a user, replacing any earlier invitation to the team. */
  put(invitation: Pick<Invitation, 'teamId' | 'userId' | 'role' | 'invitedBy'>): Promise<Invitation>;
  ofTeam(teamId: string): Promise<readonly Invitation[]>;
  ofUser(userId: string): Promise<readonly Invitation[]>;
  /** Adds the user as a member. Throws a NotFoundError if there is no invitation. */
  accept(teamId: string, userId: string): Promise<Membership>;
  /** Withdraws or declines an invitation. Throws a NotFoundError if there is none. */
  delete(teamId: string, userId: string): Promise<void>;
}

export interface Members {
  /** A team's members, in the order in which they joined. */
  list(teamId: string): Promise<readonly Membership[]>;
  /** Adds a user to a team, or changes the user's role. */
  put(teamId: string, userId: string, role: TeamRole): Promise<Membership>;
  /** Removes a user from a team, and disables the user's keys for this team. */
  remove(teamId: string, userId: string): Promise<void>;
  /** A user's teams. */
  ofUser(userId: string): Promise<readonly Membership[]>;
  /** When the user and the user's teams were created. */
  originsOf(userId: string): Promise<Origins>;
}

/** Creation times in milliseconds since 1970. */
export interface Origins {
  readonly user: number;
  readonly teams: ReadonlyMap<string, number>;
}
