import { type ChangesOf, fields, type NewOf, type ValuesOf, withRule } from './field.ts';
import {
  CREATED_FIELD,
  METADATA_FIELD,
  NO_SHADOW_FIELD,
  QUEUE_FIELDS,
  RATE_FIELDS,
  RESERVED_FIELD,
  SPENDING_FIELD,
  UPDATED_FIELD,
  WINDOW_FIELDS,
} from './shared-fields.ts';

/** What a user can manage: everything, nothing (but with read access to everything), or only their own objects. */
export const USER_ROLES = ['member', 'viewer', 'admin'] as const;
export type UserRole = (typeof USER_ROLES)[number];

export const USER_FIELDS = fields({
  user_id: {
    kind: 'id',
    description: 'User ID. Requests with the master key specify it in `user`.',
    settable: 'create',
    label: 'id',
  },
  alias: {
    kind: 'text',
    description: 'Display name.',
    flag: { value: 'name', help: 'Display name of the user' },
  },
  spend: SPENDING_FIELD,
  reserved: RESERVED_FIELD,
  budget_id: {
    kind: 'reference',
    to: 'budget',
    description: 'Budget of the user. Null removes it.',
    label: 'budget',
    flag: { name: 'budget', value: 'id|name', help: 'Budget of the user, or none' },
    teamAdmin: 'never',
  },
  ...WINDOW_FIELDS,
  blocked: {
    kind: 'flag',
    description: 'Whether all requests from the user are rejected.',
    shown: '',
    nullMeans: 'Null means false.',
    flag: {
      help: 'Reject requests from the user',
      on: { name: 'block', help: 'Reject requests from the user' },
      off: { name: 'unblock', help: 'Accept requests from the user again' },
    },
    teamAdmin: 'tighter',
  },
  ...withRule(RATE_FIELDS, { teamAdmin: 'tighter' }),
  ...QUEUE_FIELDS,
  no_shadow: { ...NO_SHADOW_FIELD, teamAdmin: 'tighter' },
  created_at: CREATED_FIELD,
  updated_at: { ...UPDATED_FIELD, label: '' },
  metadata: METADATA_FIELD,
  role: {
    kind: 'word',
    words: USER_ROLES,
    description:
      'Role of the user: `admin` can manage everything; `viewer` can read everything; `member` can only manage their own keys and read their own usage.',
    shown: '',
    flag: {
      value: 'role',
      help: 'admin can manage everything, viewer can read everything, member can manage their own keys',
    },
  },
  team_id: {
    kind: 'text',
    description: 'Team for which a service account is created. Service accounts cannot sign in.',
    shown: 'Team of a service account; null for a person.',
    settable: 'create',
    label: 'service account of',
    flag: { name: 'team', value: 'team_id', help: 'Create a service account of this team' },
  },
});

/** A user. Times are milliseconds since 1970. */
export type User = ValuesOf<typeof USER_FIELDS>;
export type UserChanges = ChangesOf<typeof USER_FIELDS>;

export interface NewUser extends NewOf<typeof USER_FIELDS> {
  readonly userId: string;
  /** Rejects an ID that an earlier user had. */
  readonly neverUsed?: boolean | undefined;
}
