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

/** Key filters. All specified conditions must match; the default order is that of creation. */
export interface KeyQuery {
  readonly visible?: Visible | undefined;
  /** Substring of the name, prefix, ID or user, case-insensitive. */
  readonly search?: string | undefined;
  /** Beginning of the ID. */
  readonly idPrefix?: string | undefined;
  readonly status?: KeyStatus | undefined;
  readonly userId?: string | undefined;
  readonly teamId?: string | undefined;
  readonly order?: Order<(typeof KEY_ORDERS)[number]> | undefined;
}

/** User filters, in the same way. */
export interface UserQuery {
  readonly visible?: Visible | undefined;
  /** Substring of the ID or alias, case-insensitive. */
  readonly search?: string | undefined;
  readonly status?: AccountStatus | undefined;
  /** The team of members and service accounts. */
  readonly teamId?: string | undefined;
  readonly order?: Order<(typeof USER_ORDERS)[number]> | undefined;
}

/** Team or organization filters, in the same way. */
export interface GroupQuery {
  /** Only groups with these IDs. */
  readonly ids?: readonly string[] | undefined;
  /** Substring of the ID or alias, case-insensitive. */
  readonly search?: string | undefined;
  readonly status?: AccountStatus | undefined;
  /** The teams' organization. */
  readonly organizationId?: string | undefined;
  readonly order?: Order<(typeof TEAM_ORDERS | typeof ORGANIZATION_ORDERS)[number]> | undefined;
}
