import { type TSchema, Type } from 'typebox';
import { parseJsonText } from '#core/json/json-text.ts';
import { RULE_KEYWORD } from '#core/yaml/explain-value.ts';
import { anyObject, closed, oneOf, orNull } from '#serve/http/schemas.ts';
import { storedProvider } from '../../config/schemas/stored-entries.ts';
import { nonEmptyText, timeOrNull } from '../http/fields.ts';

/** A schema of the configuration file, without the keyword that only the file's messages use. */
export const schemaOfFile = (schema: TSchema): TSchema =>
  parseJsonText(JSON.stringify(schema, withoutRule)) as TSchema;

const withoutRule = (key: string, value: unknown): unknown => (key === RULE_KEYWORD ? undefined : value);

const settings = Object.entries(storedProvider.properties).map(
  ([name, schema]) => [name, schemaOfFile(schema)] as const,
);

export const newProvider = closed(
  'NewProvider',
  {
    name: nonEmptyText('Name: the part of a model name before the colon. Names are case-insensitive.', 100),
    ...Object.fromEntries(settings.map(([name, schema]) => [name, Type.Optional(schema)])),
  },
  'A provider, with settings as in the configuration file.',
);

export const providerChanges = closed(
  'ProviderChanges',
  Object.fromEntries(settings.map(([name, schema]) => [name, Type.Optional(orNull(schema))])),
  'Members that are not set stay unchanged; null removes one.',
);

/** The members that providers and aliases have in common. */
export const entryFields = {
  source: oneOf(['file', 'database'], {
    description:
      'Where the entry is: in the configuration file, which only the file changes, or in the database.',
  }),
  status: oneOf(['active', 'shadowed', 'invalid'], {
    description:
      '`shadowed`: the configuration file has an entry of the same name, which is used instead. `invalid`: this gateway cannot use the entry.',
  }),
  problem: orNull(Type.String(), 'Why the entry, or a part of it, is not used.'),
  created_at: timeOrNull('Creation time; null for an entry of the file.'),
  updated_at: timeOrNull('Time of the last change; null for an entry of the file.'),
};

export const provider = closed(
  'Provider',
  {
    name: Type.String(),
    type: orNull(Type.String(), 'API of the provider; null unless it is active.'),
    api_base: orNull(Type.String(), 'Base URL; null unless it is active, and for a program of the file.'),
    local: orNull(Type.Boolean(), 'Whether private addresses are allowed; null unless it is active.'),
    models: orNull(Type.Array(Type.String()), 'Configured list of models; null if there is none.'),
    secrets: Type.Array(Type.String(), {
      description: 'Names of its secrets, whose values are never returned.',
    }),
    settings: orNull(
      anyObject('Settings of an entry of the database, without secrets; null for one of the file.'),
    ),
    used_by: Type.Array(Type.String(), { description: 'Aliases that use the provider.' }),
    ...entryFields,
  },
  'A provider of models.',
);

export const providers = Type.Array(provider);
