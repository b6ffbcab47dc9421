import type { Order } from '../../shared/order.ts';
import type { KeyStatus } from '../fields/keys.ts';

/** What a manager can see: everything, or only what belongs to the user and to the teams that the user administers. */
export type Visible = 'everything' | { readonly userId: string; readonly teamIds: readonly string[] };

export const KEY_ORDERS = ['created_at', 'key_name', 'user_id', 'spend', 'last_used_at'] as const;
export const USER_ORDERS = ['created_at', 'user_id', 'alias', 'spend'] as const;
export const TEAM_ORDERS = ['created_at', 'team_id', 'alias', 'spend'] as const;
export const ORGANIZATION_ORDERS = ['created_at', 'organization_id', 'alias', 'spend'] as const;

export const ACCOUNT_STATUSES = ['active', 'blocked'] as const;
export type AccountStatus = (typeof ACCOUNT_STATUSES)[number];

/** Selects keys. All conditions that are set must match; without an order, keys have that of their creation. */
export interface KeyQuery {
  readonly visible?: Visible | undefined;
  /** A part of the name, the prefix, the id or the user, in any case. */
  readonly search?: string | undefined;
  readonly status?: KeyStatus | undefined;
  readonly userId?: string | undefined;
  readonly teamId?: string | undefined;
  readonly order?: Order<(typeof KEY_ORDERS)[number]> | undefined;
}

/** Selects users, in the same way. */
export interface UserQuery {
  readonly visible?: Visible | undefined;
  /** A part of the id or the alias, in any case. */
  readonly search?: string | undefined;
  readonly status?: AccountStatus | undefined;
  /** The team of members and service accounts. */
  readonly teamId?: string | undefined;
  readonly order?: Order<(typeof USER_ORDERS)[number]> | undefined;
}

/** Selects teams or organizations, in the same way. */
export interface GroupQuery {
  /** Only groups with these ids. */
  readonly ids?: readonly string[] | undefined;
  /** A part of the id or the alias, in any case. */
  readonly search?: string | undefined;
  readonly status?: AccountStatus | undefined;
  /** The organization of teams. */
  readonly organizationId?: string | undefined;
  readonly order?: Order<(typeof TEAM_ORDERS | typeof ORGANIZATION_ORDERS)[number]> | undefined;
}
