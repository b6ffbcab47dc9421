import type { Page } from '../../store/page.ts';
import type { Nanos } from '../../shared/money.ts';

/** What a user or a key may use. Null is no limit. */
export interface Limits {
  readonly rpm: number | null;
  readonly tpm: number | null;
  readonly maxParallel: number | null;
  /** In each window; null only counts. */
  readonly maxBudget: Nanos | null;
  /** How long a window is; null for one that never ends. */
  readonly budgetDurationSec: number | null;
}

export type RateLimits = Pick<Limits, 'rpm' | 'tpm' | 'maxParallel'>;
export type KeyBudget = Pick<Limits, 'maxBudget' | 'budgetDurationSec'>;
export type Metadata = Readonly<Record<string, unknown>>;

/** Times are milliseconds since 1970. */
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

/** In changes: undefined leaves as it is, null clears. */
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
  /** In the order in which they were made. */
  list(page: Page): Promise<readonly User[]>;
  get(userId: string): Promise<User>;
  change(userId: string, changes: UserChanges): Promise<User>;
  /** The user's keys stop working, the usage stays; creating the user again brings it back with nothing spent. */
  delete(userId: string): Promise<void>;
}

export type KeyStatus = 'active' | 'inactive' | 'expired';

/** A key as it is shown: without its secret, which nobody has. */
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
  /** Names of models, `*` in them for anything; null for all, none for none. */
  readonly allowedModels: readonly string[] | null;
  readonly budget: KeyBudget | null;
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
}

export interface NewKey extends Omit<KeyChanges, 'isActive'> {
  /** Made if there is no such user; without one, the key gets a user of its own. */
  readonly userId?: string | undefined;
}

/** The only time that a secret is seen. */
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
  /** A new secret; the old one works for so long. */
  rotate(id: string, graceSeconds: number): Promise<KeyWithSecret>;
}

/** Who asks, as told by the credential. */
export type Caller =
  | { readonly kind: 'master' }
  | { readonly kind: 'key'; readonly key: KeyGrant; readonly user: UserGrant; readonly revision: number };

/** What a request may do by its key. */
export interface KeyGrant {
  readonly id: string;
  readonly name: string | null;
  readonly prefix: string;
  readonly userId: string;
  readonly isActive: boolean;
  readonly expiresAt: number | null;
  readonly allowedModels: readonly string[] | null;
  readonly limits: Limits;
}

export interface UserGrant {
  readonly userId: string;
  readonly blocked: boolean;
  readonly deleted: boolean;
  readonly limits: Limits;
}

/** Work on the account of whose it is. */
export interface WorkPayer {
  readonly kind: 'work';
  readonly userId: string;
  /** In the accounts, this is the request: what a job cost is the sum of its requests. */
  readonly jobId: string;
}

/** Whoever models may be asked for. */
export type Payer = Caller | WorkPayer;

/** Who pays for a request. */
export interface Spender {
  readonly user: UserGrant;
  /** None for a request with the master key. */
  readonly key: KeyGrant | undefined;
  /** Which state of the database this is from. */
  readonly revision: number;
}

/** `Headers`, and whatever looks like it. */
export interface HeaderReader {
  get(name: string): string | null | undefined;
}

export interface Identity {
  readonly users: Users;
  readonly keys: Keys;
  /** Whose credential that is. Throws an UnauthorizedError, and a ForbiddenError or NotFoundError if its user is blocked or gone. */
  authenticate(headers: HeaderReader): Promise<Caller>;
  /** Throws an UnauthorizedError unless it is the master key, an UnavailableError if there is none. */
  requireMaster(headers: HeaderReader): void;
  /** Who pays, if the body of the request names that user. Throws what the reference answers. */
  spender(payer: Payer, user: string | undefined): Promise<Spender>;
  /** The same one, read again, with all checks made again. */
  renew(spender: Spender): Promise<Spender>;
  /** Throws a ForbiddenError if the key may not use the model. */
  requireModel(spender: Spender, model: string): void;
  /** Writes down when keys were last used, and stops. */
  close(): Promise<void>;
}
