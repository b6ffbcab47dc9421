import type { GroupKind } from '../../store/schema.ts';
import type { Calendar } from '#core/time/calendar.ts';
import type { ListPage } from '../../store/page.ts';
import type { Nanos } from '../../shared/money.ts';
import type { Groups, Invitations, Members, Membership, Origins } from './groups-api.ts';
import type { KeyQuery, UserQuery } from './list-queries.ts';
import type { Key, KeyChanges, KeyIssuer, KeyScope, NewKey } from '../fields/keys.ts';
import type { RateLimits } from '../fields/shared-fields.ts';
import type { NewUser, User, UserChanges, UserRole } from '../fields/users.ts';
import type { DataAccess, Viewer } from '../../shared/owner.ts';

/** Limits of a user or a key. Null means no limit. */
export interface Limits extends RateLimits {
  /** Maximum spending per window; with null, spending is tracked but not limited. */
  readonly maxBudget: Nanos | null;
  /** Length of a budget window; null for a budget without resets. */
  readonly budgetDurationSec: number | null;
  /** The calendar of budget windows, in place of a length. */
  readonly budgetCalendar?: Calendar | null | undefined;
  /** Percentages of the budget at which alerts are sent, in place of the configured ones. */
  readonly alertThresholds?: readonly number[] | null | undefined;
}

export interface Users {
  create(user: NewUser): Promise<User>;
  list(page: ListPage, query?: UserQuery): Promise<readonly User[]>;
  get(userId: string): Promise<User>;
  /** Whether a user existed and was deleted. */
  wasDeleted(userId: string): Promise<boolean>;
  change(userId: string, changes: UserChanges): Promise<User>;
  /** Deletes a user and deactivates its keys. Its usage stays. A user that is created again starts with nothing spent. */
  delete(userId: string): Promise<void>;
}

/** A tag of requests with a budget. */
export interface Tag {
  readonly tag: string;
  readonly budgetId: string;
  readonly spent: Nanos;
  readonly reserved: Nanos;
  readonly budgetStartedAt: number | null;
  readonly nextBudgetResetAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface Tags {
  /** Assigns a budget. A tag that has the same budget keeps its window. */
  set(tag: string, budgetId: string): Promise<Tag>;
  /** Tags with a budget, in alphabetical order. */
  list(page: ListPage): Promise<readonly Tag[]>;
  get(tag: string): Promise<Tag>;
  /** Removes the budget of a tag. Its usage stays. */
  delete(tag: string): Promise<void>;
}
/** A new key or a new secret of a key. The secret is not available later. */
interface KeyWithSecret {
  readonly key: Key;
  readonly secret: string;
}

export interface Keys {
  create(key: NewKey): Promise<KeyWithSecret>;
  list(page: ListPage, query?: KeyQuery): Promise<readonly Key[]>;
  get(id: string): Promise<Key>;
  change(id: string, changes: KeyChanges): Promise<Key>;
  delete(id: string): Promise<void>;
  /** Creates a new secret. The old one stays valid for `graceSeconds`. `issuer` is who gets the secret. */
  rotate(id: string, graceSeconds: number, issuer?: KeyIssuer): Promise<KeyWithSecret>;
}

/** The identity of a caller, from its credential. */
export type Caller =
  | { readonly kind: 'master' }
  | {
      readonly kind: 'key';
      readonly key: KeyGrant;
      readonly user: UserGrant;
      readonly groups: readonly GroupGrant[];
      readonly data: DataAccess;
      readonly revision: number;
    };

/** Permissions of a key. */
export interface KeyGrant {
  readonly id: string;
  readonly name: string | null;
  readonly prefix: string;
  readonly userId: string;
  readonly teamId: string | null;
  readonly scope: KeyScope;
  readonly issuer: KeyIssuer;
  readonly isActive: boolean;
  readonly expiresAt: number | null;
  readonly allowedModels: readonly string[] | null;
  /** Whether its requests and answers are stored; null for the setting of the gateway. */
  readonly logPrompts?: boolean | null | undefined;
  readonly limits: Limits;
  /** Keys whose limits hold too, see `boundBy`. */
  readonly boundBy: readonly BindingKey[];
}

/** A key of a member that others have limited. It limits all keys that the member creates in the team. */
interface BindingKey extends SharedAccount {
  readonly allowedModels: readonly string[] | null;
}

export interface UserGrant {
  readonly userId: string;
  readonly ownerId: string;
  readonly blocked: boolean;
  readonly deleted: boolean;
  readonly role: UserRole;
  /** The team of a service account. */
  readonly teamId: string | null;
  readonly limits: Limits;
}

/** An account other than those of the user and the key that requests are charged to, with its limits. */
export interface SharedAccount {
  /** Id in `gateway_accounts`. */
  readonly account: string;
  readonly limits: Limits;
  /** Name for error messages. */
  readonly label: string;
}

/** Permissions of a team or an organization. */
export interface GroupGrant extends SharedAccount {
  readonly kind: GroupKind;
  readonly id: string;
  /** Internal id; empty for a deleted group. */
  readonly ownerId: string;
  readonly blocked: boolean;
  readonly deleted: boolean;
  readonly allowedModels: readonly string[] | null;
}

/** A job. Its requests are billed to its owner, and the key that created it pays and limits them like its own. */
export interface WorkPayer {
  readonly kind: 'work';
  readonly userId: string;
  /** The team of the key that created the job. */
  readonly teamId: string | null;
  /** The key that created the job, whose limits and state apply; null for the master key. */
  readonly keyId: string | null;
  /** Replaces the request id in usage rows, so that the cost of a job is the sum over its rows. */
  readonly jobId: string;
  /** The models that requests can name; undefined for work of the gateway itself, which names only its own. */
  readonly models?: readonly string[] | undefined;
}

/** An authenticated caller or job that requests are made for. */
export type Payer = Caller | WorkPayer;

/** The user, the key and the groups that a request is billed to. */
export interface Spender {
  readonly user: UserGrant;
  /** Undefined for requests with the master key, and of jobs that it has created. */
  readonly key: KeyGrant | undefined;
  /** The team and its organization; empty for a request without a team. */
  readonly groups: readonly GroupGrant[];
  /** What the request can see, and whose what it creates is. */
  readonly data: DataAccess;
  /** Tags of the request, which usage rows have. */
  readonly tags?: readonly string[] | undefined;
  /** The models of the job that a request is from, which can use no others. */
  readonly models?: readonly string[] | undefined;
  /** All other accounts that the request is charged to: of the groups, and of tags that have a budget. */
  readonly shared: readonly SharedAccount[];
  /** Revision of the database that this was read at. */
  readonly revision: number;
}

/** A caller that manages the gateway: the master key, or a user with a key of the scope `manage`. */
export interface Manager {
  /** The master key has the role admin. */
  readonly role: UserRole;
  /** Null for the master key. */
  readonly userId: string | null;
  /** Whether the credential is one that only the user has: a sign-in, or a key that was created with one. */
  readonly isOwn: boolean;
  /** The teams of a user with the role member. */
  readonly memberships: readonly Membership[];
  /** When a user with the role member, and the teams, were created. What has their ids from before is of others. */
  readonly origins: Origins;
}

/** Reads request headers, for example a `Headers` object. */
export interface HeaderReader {
  get(name: string): string | null | undefined;
}

export interface Identity {
  /** Rate limits of users that have none of their own. */
  readonly userDefaults: RateLimits;
  readonly users: Users;
  readonly keys: Keys;
  readonly tags: Tags;
  readonly teams: Groups;
  readonly organizations: Groups;
  readonly members: Members;
  readonly invitations: Invitations;
  /** Identifies the caller. Throws an UnauthorizedError, or a ForbiddenError or NotFoundError if its user is blocked or deleted. */
  authenticate(headers: HeaderReader): Promise<Caller>;
  /**
   * Identifies a caller that manages the gateway, by the master key or a key with the scope `manage`. Throws an UnauthorizedError for
   * any other credential, and an UnavailableError if no master key is configured.
   */
  authenticateManager(headers: HeaderReader): Promise<Caller>;
  /** What a caller can manage. */
  manager(caller: Caller): Promise<Manager>;
  /**
   * The spender of a request with these tags whose body names `user`. Throws the errors of the reference API. Of requests with a key and
   * without tags, it is one object until the database changes, and no promise after the first one.
   */
  spender(payer: Payer, user: string | undefined, tags?: readonly string[]): Spender | Promise<Spender>;
  /** Reads the spender again and repeats all checks. */
  renew(spender: Spender): Promise<Spender>;
  /** What a caller can see of the data of users. With the master key, `user` selects one. */
  viewer(caller: Caller, user: string | undefined): Promise<Viewer>;
  /** The accounts with these ids, with their limits. Those of deleted keys, users, groups and tags are missing. */
  accounts(ids: readonly string[]): Promise<readonly SharedAccount[]>;
  /** Throws a ForbiddenError if the key, its team or its organization is not allowed to use the model. */
  requireModel(spender: Spender, model: string): void;
  /** Writes the times of last use, and stops. */
  close(): Promise<void>;
}
