import { type ChangesOf, fields, type NewOf, type ValuesOf } from './field.ts';
import {
  CREATED_FIELD,
  METADATA_FIELD,
  MODELS_FIELD,
  NO_SHADOW_FIELD,
  QUEUE_FIELDS,
  RATE_FIELDS,
  RESERVED_FIELD,
  SPENDING_FIELD,
  UPDATED_FIELD,
  WINDOW_FIELDS,
} from './shared-fields.ts';

/** Fields that teams and organizations have in common. */
const groupFields = (noun: 'team' | 'organization') =>
  fields({
    alias: {
      kind: 'text',
      description: 'Display name.',
      flag: { value: 'name', help: `Display name of the ${noun}` },
    },
    spend: SPENDING_FIELD,
    reserved: RESERVED_FIELD,
    budget_id: {
      kind: 'reference',
      to: 'budget',
      description: `Budget shared by all keys of the ${noun}. Null removes it.`,
      label: 'budget',
      flag: {
        name: 'budget',
        value: 'id|name',
        help: `Budget shared by all keys of the ${noun}, or none`,
      },
    },
    ...WINDOW_FIELDS,
    blocked: {
      kind: 'flag',
      description: `Whether all requests from the ${noun} are rejected.`,
      flag: {
        help: `Reject requests from the ${noun}`,
        on: { name: 'block', help: `Reject requests from the ${noun}` },
        off: { name: 'unblock', help: `Accept requests from the ${noun} again` },
      },
    },
    allowed_models: {
      ...MODELS_FIELD,
      flag: {
        name: 'model',
        value: 'pattern',
        help: `Models that keys of the ${noun} can use, e.g. openai:*`,
        off: { name: 'any-model', help: 'Allow all models' },
      },
    },
    ...RATE_FIELDS,
    ...QUEUE_FIELDS,
    no_shadow: NO_SHADOW_FIELD,
    metadata: METADATA_FIELD,
    created_at: CREATED_FIELD,
    updated_at: { ...UPDATED_FIELD, label: '' },
  });

export const TEAM_FIELDS = fields({
  team_id: { kind: 'id', as: 'id', column: 'id', description: 'Team id.', settable: 'create', label: 'id' },
  organization_id: {
    kind: 'reference',
    to: 'organization',
    column: 'parent_id',
    description:
      'Organization of the team. Its budget, limits and allowed models also apply. Null removes the organization.',
    label: 'organization',
    flag: { name: 'org', value: 'id|alias', help: 'Organization of the team, or none' },
  },
  ...groupFields('team'),
});

export const ORGANIZATION_FIELDS = fields({
  organization_id: {
    kind: 'id',
    as: 'id',
    column: 'id',
    description: 'Organization id.',
    settable: 'create',
    label: 'id',
  },
  ...groupFields('organization'),
});

/**
 * A team, or an organization (which cannot be part of another one). Its budget, limits and allowed models
 * apply to all requests with its keys.
 */
export type Group = ValuesOf<typeof TEAM_FIELDS>;
export type GroupChanges = ChangesOf<typeof TEAM_FIELDS>;

export interface NewGroup extends NewOf<typeof TEAM_FIELDS> {
  readonly id: string;
}
