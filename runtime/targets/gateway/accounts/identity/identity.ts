import type { Calendar } from '../../../../core/time/calendar.ts';
import type { Page } from '../../store/page.ts';
import type { Nanos } from '../../shared/money.ts';

/** Limits of a user or a key. Null means no limit. */
export interface Limits {
  readonly rpm: number | null;
  readonly tpm: number | null;
  readonly maxParallel: number | null;
  /** Maximum spending per window; with null, spending is tracked but not limited. */
  readonly maxBudget: Nanos | null;
  /** Length of a budget window; null for a budget without resets. */
  readonly budgetDurationSec: number | null;
  /** The calendar of budget windows, in place of a length. */
  readonly budgetCalendar?: Calendar | null | undefined;
  /** Percentages of the budget at which alerts are sent, in place of the configured ones. */
  readonly alertThresholds?: readonly number[] | null | undefined;
}

export type RateLimits = Pick<Limits, 'rpm' | 'tpm' | 'maxParallel'>;
export type KeyBudget = Pick<Limits, 'maxBudget' | 'budgetDurationSec'>;
export type Metadata = Readonly<Record<string, unknown>>;

/** A user. Times are milliseconds since 1970. */
export interface User extends RateLimits {
  readonly userId: string;
  readonly alias: string | null;
  readonly spent: Nanos;
  readonly reserved: Nanos;
  readonly budgetId: string | null;
  readonly budgetStartedAt: number | null;
  readonly nextBudgetResetAt: number | null;
  readonly blocked: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly metadata: Metadata;
}

/** Changes of a user: undefined keeps the current value, null clears it. */
export interface UserChanges {
  readonly alias?: string | null | undefined;
  readonly budgetId?: string | null | undefined;
  readonly blocked?: boolean | undefined;
  readonly metadata?: Metadata | undefined;
  readonly rpm?: number | null | undefined;
  readonly tpm?: number | null | undefined;
  readonly maxParallel?: number | null | undefined;
}

interface NewUser extends UserChanges {
  readonly userId: string;
}

export interface Users {
  create(user: NewUser): Promise<User>;
  /** Users in the order of their creation. */
  list(page: Page): Promise<readonly User[]>;
  get(userId: string): Promise<User>;
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
  list(page: Page): Promise<readonly Tag[]>;
  get(tag: string): Promise<Tag>;
  /** Removes the budget of a tag. Its usage stays. */
  delete(tag: string): Promise<void>;
}

export type KeyStatus = 'active' | 'inactive' | 'expired';

/** A key for display, without its secret, which is not stored. */
export interface Key extends RateLimits {
  readonly id: string;
  readonly keyPrefix: string;
  readonly keyName: string | null;
  readonly userId: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  readonly expiresAt: number | null;
  readonly isActive: boolean;
  readonly status: KeyStatus;
  readonly metadata: Metadata;
  /** Allowed models, with `*` as a wildcard. Null allows all models, an empty list none. */
  readonly allowedModels: readonly string[] | null;
  readonly budget: KeyBudget | null;
  /** Whether its requests and answers are stored; null for the setting of the gateway. */
  readonly logPrompts: boolean | null;
  readonly spent: Nanos;
}

export interface KeyChanges {
  readonly keyName?: string | null | undefined;
  readonly isActive?: boolean | undefined;
  readonly expiresAt?: number | null | undefined;
  readonly metadata?: Metadata | undefined;
  readonly allowedModels?: readonly string[] | null | undefined;
  readonly rpm?: number | null | undefined;
  readonly tpm?: number | null | undefined;
  readonly maxParallel?: number | null | undefined;
  readonly budget?: KeyBudget | null | undefined;
  readonly logPrompts?: boolean | null | undefined;
}

export interface NewKey extends Omit<KeyChanges, 'isActive'> {
  /** Owner of the key, created if missing. Default: a new user for this key. */
  readonly userId?: string | undefined;
}

/** A new key or a new secret of a key. The secret is not available later. */
interface KeyWithSecret {
  readonly key: Key;
  readonly secret: string;
}

export interface Keys {
  create(key: NewKey): Promise<KeyWithSecret>;
  list(page: Page): Promise<readonly Key[]>;
  get(id: string): Promise<Key>;
  change(id: string, changes: KeyChanges): Promise<Key>;
  delete(id: string): Promise<void>;
  /** Creates a new secret. The old one stays valid for `graceSeconds`. */
  rotate(id: string, graceSeconds: number): Promise<KeyWithSecret>;
}

/** The identity of a caller, from its credential. */
export type Caller =
  | { readonly kind: 'master' }
  | { readonly kind: 'key'; readonly key: KeyGrant; readonly user: UserGrant; readonly revision: number };

/** Permissions of a key. */
export interface KeyGrant {
  readonly id: string;
  readonly name: string | null;
  readonly prefix: string;
  readonly userId: string;
  readonly isActive: boolean;
  readonly expiresAt: number | null;
  readonly allowedModels: readonly string[] | null;
  /** Whether its requests and answers are stored; null for the setting of the gateway. */
  readonly logPrompts?: boolean | null | undefined;
  readonly limits: Limits;
}

export interface UserGrant {
  readonly userId: string;
  readonly blocked: boolean;
  readonly deleted: boolean;
  readonly limits: Limits;
}

/** A job, whose requests are billed to its owner. */
export interface WorkPayer {
  readonly kind: 'work';
  readonly userId: string;
  /** Replaces the request id in usage rows, so that the cost of a job is the sum over its rows. */
  readonly jobId: string;
}

/** An authenticated caller or job that requests are made for. */
export type Payer = Caller | WorkPayer;

/** A further account that requests are held against and charged to, next to those of the user and the key. */
export interface AccountGrant {
  readonly accountId: string;
  /** Its name in errors and alerts, for example `Tag 'search'`. */
  readonly label: string;
  readonly limits: Limits;
}

/** The user and key that a request is billed to. */
export interface Spender {
  readonly user: UserGrant;
  /** Undefined for requests with the master key and of jobs. */
  readonly key: KeyGrant | undefined;
  /** Tags of the request, which usage rows have. */
  readonly tags?: readonly string[] | undefined;
  /** Accounts of the tags that have a budget. */
  readonly others?: readonly AccountGrant[] | undefined;
  /** Revision of the database that this was read at. */
  readonly revision: number;
}

/** Reads request headers, for example a `Headers` object. */
export interface HeaderReader {
  get(name: string): string | null | undefined;
}

export interface Identity {
  readonly users: Users;
  readonly keys: Keys;
  readonly tags: Tags;
  /** Identifies the caller. Throws an UnauthorizedError, or a ForbiddenError or NotFoundError if its user is blocked or deleted. */
  authenticate(headers: HeaderReader): Promise<Caller>;
  /** Throws an UnauthorizedError for any credential but the master key, and an UnavailableError if no master key is configured. */
  requireMaster(headers: HeaderReader): void;
  /** The spender of a request with these tags whose body names `user`. Throws the errors of the reference API. */
  spender(payer: Payer, user: string | undefined, tags?: readonly string[]): Promise<Spender>;
  /** Reads the spender again and repeats all checks. */
  renew(spender: Spender): Promise<Spender>;
  /** Throws a ForbiddenError if the key is not allowed to use the model. */
  requireModel(spender: Spender, model: string): void;
  /** Writes the times of last use, and stops. */
  close(): Promise<void>;
}
