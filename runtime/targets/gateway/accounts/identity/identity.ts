import type { GroupKind } from '../../store/schema.ts';
import type { Calendar } from '#core/time/calendar.ts';
import type { ListPage } from '../../store/page.ts';
import type { Nanos } from '../../shared/money.ts';
import type { Groups, Invitations, Members, Membership, Origins } from './groups-api.ts';
import type { KeyQuery, UserQuery } from './list-queries.ts';
import type { BudgetLimit } from '../fields/budget-limits.ts';
import type { Key, KeyChanges, KeyIssuer, KeyScope, NewKey } from '../fields/keys.ts';
import type { QueueTerms, RateLimits } from '../fields/shared-fields.ts';
import type { NewUser, User, UserChanges, UserRole } from '../fields/users.ts';
import type { DataAccess, Viewer } from '../../shared/owner.ts';
import type { Workloads } from './workloads-api.ts';

/** A user's or key's limits. Null means no limit. */
export interface Limits extends RateLimits {
  /** Maximum spending per window; if null, spending is tracked but not limited. */
  readonly maxBudget: Nanos | null;
  /** Length of a budget window; null for a budget without resets. */
  readonly budgetDurationSec: number | null;
  /** The calendar of budget windows; replaces a length. */
  readonly budgetCalendar?: Calendar | null | undefined;
  /** The budget's further limits. */
  readonly budgetLimits?: readonly BudgetLimit[] | undefined;
  /** Percentages of the budget at which alerts are sent; replaces the configured ones. */
  readonly alertThresholds?: readonly number[] | null | undefined;
}

export interface Users {
  create(user: NewUser): Promise<User>;
  list(page: ListPage, query?: UserQuery): Promise<readonly User[]>;
  get(userId: string): Promise<User>;
  /** Whether a user existed and was deleted. */
  wasDeleted(userId: string): Promise<boolean>;
  change(userId: string, changes: UserChanges): Promise<User>;
  /**
   * Deletes a user and deactivates the user's keys. Usage is kept. A user that is created again starts with
   * no spending.
   */
  delete(userId: string): Promise<void>;
}

/** A request tag with a budget. */
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
  /** Assigns a budget. A tag that already has this budget keeps its window. */
  set(tag: string, budgetId: string): Promise<Tag>;
  /** Tags with a budget, in alphabetical order. */
  list(page: ListPage): Promise<readonly Tag[]>;
  get(tag: string): Promise<Tag>;
  /** Removes a tag's budget. Its usage is kept. */
  delete(tag: string): Promise<void>;
}
/** A new key, or a key with a new secret. The secret is not available later. */
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
  /** Creates a new secret. The old one stays valid for `graceSeconds`. `issuer` is the caller who gets the secret. */
  rotate(id: string, graceSeconds: number, issuer?: KeyIssuer): Promise<KeyWithSecret>;
}

/** A caller's identity, determined from its credential. */
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

/** A key's permissions. */
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
  /** Whether its requests and responses are stored; null for the gateway's setting. */
  readonly logPrompts?: boolean | null | undefined;
  /** MCP servers whose tools each of its requests has. */
  readonly tools?: readonly string[] | null | undefined;
  /** Whether its requests can be sent to the candidates of shadow evaluations, unless its user or a group forbids it. */
  readonly allowShadow?: boolean | undefined;
  readonly limits: Limits;
  readonly queue?: QueueTerms | undefined;
  /** Keys whose limits apply as well, see `boundBy`. */
  readonly boundBy: readonly BindingKey[];
}

/** A member's key that others have limited. It limits all keys that the member creates in the team. */
interface BindingKey extends SharedAccount {
  readonly allowedModels: readonly string[] | null;
}

export interface UserGrant {
  readonly userId: string;
  readonly ownerId: string;
  readonly blocked: boolean;
  readonly deleted: boolean;
  readonly role: UserRole;
  /** A service account's team. */
  readonly teamId: string | null;
  /** Whether its requests are never sent to the candidates of shadow evaluations. */
  readonly noShadow?: boolean | undefined;
  readonly limits: Limits;
  readonly queue?: QueueTerms | undefined;
}

/** An account, other than the user's and the key's, that requests are charged to, with its limits. */
export interface SharedAccount {
  /** ID in `gateway_accounts`. */
  readonly account: string;
  readonly limits: Limits;
  /** Name for error messages. */
  readonly label: string;
  /** Whether it is the account of a further limit of a budget. */
  readonly isFurther?: boolean | undefined;
  /** The models of a further limit; undefined for all. */
  readonly models?: readonly string[] | undefined;
}

/** Permissions of a team or organization. */
export interface GroupGrant extends SharedAccount {
  readonly kind: GroupKind;
  readonly id: string;
  /** Internal ID; empty for a deleted group. */
  readonly ownerId: string;
  readonly blocked: boolean;
  readonly deleted: boolean;
  readonly allowedModels: readonly string[] | null;
  /** Whether requests of its keys are never sent to the candidates of shadow evaluations. */
  readonly noShadow?: boolean | undefined;
  readonly queue?: QueueTerms | undefined;
}

/** A job. Its requests are billed to its owner; the key that created it pays for them and limits them like its own. */
export interface WorkPayer {
  readonly kind: 'work';
  readonly userId: string;
  /** The team of the key that created the job. */
  readonly teamId: string | null;
  /** The key that created the job, whose limits and status apply; null for the master key. */
  readonly keyId: string | null;
  /** Replaces the request ID in usage rows, so that a job's cost is the sum over its rows. */
  readonly jobId: string;
  /** The models that requests can use; undefined for work by the gateway itself, which only uses its own. */
  readonly models?: readonly string[] | undefined;
}

/** An authenticated caller or job, for which requests are made. */
export type Payer = Caller | WorkPayer;

/** The user, key and groups that a request is billed to. */
export interface Spender {
  readonly user: UserGrant;
  /** Undefined for requests with the master key, and for jobs that it created. */
  readonly key: KeyGrant | undefined;
  /** The team and its organization; empty for a request without a team. */
  readonly groups: readonly GroupGrant[];
  /** What the request can see, and the owner of what it creates. */
  readonly data: DataAccess;
  /** Request tags, which usage rows contain. */
  readonly tags?: readonly string[] | undefined;
  /** If a job sends the request, the job's models, which are the only ones it can use. */
  readonly models?: readonly string[] | undefined;
  /** All other accounts that the request is charged to: those of groups, and of tags with a budget. */
  readonly shared: readonly SharedAccount[];
  /** The database revision at which this was read. */
  readonly revision: number;
}

/** A caller that manages the gateway: the master key, or a user with a key of scope `manage`. */
export interface Manager {
  /** The master key has the role admin. */
  readonly role: UserRole;
  /** Null for the master key. */
  readonly userId: string | null;
  /** Whether only the user has the credential: a sign-in, or a key that was created with one. */
  readonly isOwn: boolean;
  /** The teams of a user with the role `member`. */
  readonly memberships: readonly Membership[];
  /**
   * When a user with the role `member`, and the user's teams, were created. Older data with the same IDs
   * belongs to others.
   */
  readonly origins: Origins;
}

/** Reads request headers, for example a `Headers` object. */
export interface HeaderReader {
  get(name: string): string | null | undefined;
}

export interface Identity {
  /** Rate limits for users without their own. */
  readonly userDefaults: RateLimits;
  readonly users: Users;
  readonly keys: Keys;
  /** Undefined if no workload issuers are configured. */
  readonly workloads: Workloads | undefined;
  readonly tags: Tags;
  readonly teams: Groups;
  readonly organizations: Groups;
  readonly members: Members;
  readonly invitations: Invitations;
  /**
   * Identifies the caller. Throws an UnauthorizedError, or a ForbiddenError or NotFoundError if its user is
   * blocked or deleted.
   */
  authenticate(headers: HeaderReader): Promise<Caller>;
  /**
   * Identifies a caller that manages the gateway, by the master key or a key with scope `manage`. Throws an
   * UnauthorizedError for any other credential, and an UnavailableError if no master key is configured.
   */
  authenticateManager(headers: HeaderReader): Promise<Caller>;
  /** What a caller can manage. */
  manager(caller: Caller): Promise<Manager>;
  /**
   * The spender of a request with these tags whose body contains `user`. Throws the reference API's errors.
   * For requests with a key and without tags, it is the same object until the database changes, and not a
   * promise after the first one.
   */
  spender(payer: Payer, user: string | undefined, tags?: readonly string[]): Spender | Promise<Spender>;
  /** Rereads the spender and repeats all checks. */
  renew(spender: Spender): Promise<Spender>;
  /** Which user data a caller can see. With the master key, `user` selects a user. */
  viewer(caller: Caller, user: string | undefined): Promise<Viewer>;
  /** The accounts with these IDs, with their limits. Accounts of deleted keys, users, groups and tags are missing. */
  accounts(ids: readonly string[]): Promise<readonly SharedAccount[]>;
  /** Throws a ForbiddenError if the key, its team or its organization is not allowed to use the model. */
  requireModel(spender: Spender, model: string): void;
  /** Writes the times of last use, then stops. */
  close(): Promise<void>;
}
