import { type TSchema, Type } from 'typebox';
import { parseJsonText } from '#core/json/json-text.ts';
import { RULE_KEYWORD } from '#core/yaml/explain-value.ts';
import { answerOf, noContent } from '#serve/http/openapi/describe.ts';
import type { Route } from '#serve/http/route.ts';
import { anyObject, closed, oneOf, orNull } from '#serve/http/schemas.ts';
import { storedProvider } from '../config/schemas/stored-entries.ts';
import type { GatewayContext } from '../context.ts';
import { nonEmptyText, timeOrNull } from './http/fields.ts';
import { pageOfList, pageOf } from './http/lists.ts';
import type { HttpParts } from './http/parts.ts';
import { providerView } from './views/models.ts';

/**
 * A schema from the configuration file, without the keyword that is only used for error messages about the
 * file.
 */
export const schemaOfFile = (schema: TSchema): TSchema =>
  parseJsonText(JSON.stringify(schema, withoutRule)) as TSchema;

/**
 * A member in a change request. If it is not set, the value is kept, so the default of the configuration
 * file does not apply.
 */
export function memberOfChanges<Schema extends TSchema>(schema: Schema) {
  const { default: _, ...member } = schema as Schema & { readonly default?: unknown };
  return Type.Optional(orNull(member as Schema));
}

const withoutRule = (key: string, value: unknown): unknown => (key === RULE_KEYWORD ? undefined : value);

const settings = Object.entries(storedProvider.properties).map(
  ([name, schema]) => [name, schemaOfFile(schema)] as const,
);

const newProvider = closed(
  'NewProvider',
  {
    name: nonEmptyText('Name: the part of a model name before the colon. Names are case-insensitive.', 100),
    ...Object.fromEntries(settings.map(([name, schema]) => [name, Type.Optional(schema)])),
  },
  'A provider, with settings as in the configuration file.',
);

const providerChanges = closed(
  'ProviderChanges',
  Object.fromEntries(settings.map(([name, schema]) => [name, memberOfChanges(schema)])),
  'Omitted members stay unchanged; null removes a member.',
);

/** Members that providers and aliases have in common. */
export const entryFields = {
  source: oneOf(['file', 'database'], {
    description:
      'Where the entry is defined: in the database, or in the configuration file. Entries in the file can only be changed there.',
  }),
  status: oneOf(['active', 'shadowed', 'invalid'], {
    description:
      '`shadowed`: the configuration file has an entry with the same name, which takes precedence. `invalid`: this gateway cannot use the entry.',
  }),
  problem: orNull(Type.String(), 'Reason why the entry, or part of it, is not used.'),
  created_at: timeOrNull('Creation time; null for an entry in the file.'),
  updated_at: timeOrNull('Time of the last change; null for an entry in the file.'),
};

export const provider = closed(
  'Provider',
  {
    name: Type.String(),
    type: orNull(Type.String(), 'API of the provider; null if the provider is not active.'),
    api_base: orNull(
      Type.String(),
      'Base URL; null if the provider is not active, or if it is an executable configured in the file.',
    ),
    local: orNull(
      Type.Boolean(),
      'Whether private addresses are allowed; null if the provider is not active.',
    ),
    models: orNull(Type.Array(Type.String()), 'Configured list of models; null if there is none.'),
    secrets: Type.Array(Type.String(), {
      description: 'Names of the provider’s secrets. Their values are never returned.',
    }),
    settings: orNull(
      anyObject('Settings of an entry in the database, without secrets; null for an entry in the file.'),
    ),
    used_by: Type.Array(Type.String(), { description: 'Aliases that use the provider.' }),
    ...entryFields,
  },
  'A model provider.',
);

const providerList = Type.Array(provider);

const MISTRAL = {
  name: 'mistral',
  type: 'openai',
  api_base: 'https://api.mistral.ai/v1',
  local: false,
  models: null,
  secrets: ['api_key'],
  settings: { max_connections: 50 },
  used_by: ['fast'],
  source: 'database' as const,
  status: 'active' as const,
  problem: null,
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
};

const NAME = { name: 'name', description: 'Name of the provider.', example: MISTRAL.name };

/** `/v1/providers`: the providers in the configuration file and those created at run time. */
export function providerRoutes(
  { providers }: GatewayContext,
  { guards, route }: HttpParts,
): readonly Route[] {
  return [
    route({
      method: 'post',
      path: '/v1/providers',
      guard: guards.admin,
      id: 'createProvider',
      tag: 'Providers',
      summary: 'Create a provider.',
      description:
        'Settings have the same names as in the configuration file. Secrets are stored encrypted and never returned. All gateways that share the database use the provider within a second.',
      request: {
        schema: newProvider,
        examples: {
          preset: { name: 'mistral', api_key: 'sk-…', max_connections: 50 },
          server: { name: 'gpu', type: 'openai-compatible', api_base: 'http://10.0.0.5:8000/v1' },
        },
      },
      answer: answerOf('The provider.', provider, MISTRAL),
      errors: [409],
      run: async (_c, { name, ...settings }) => providerView(await providers.create(name, settings)),
    }),
    route({
      method: 'get',
      path: '/v1/providers',
      guard: guards.reader,
      id: 'listProviders',
      tag: 'Providers',
      summary: 'List the providers in the configuration file and in the database, by name.',
      ...pageOfList({ schema: providerList, example: [MISTRAL] }),
      run: async (c) => {
        const { skip, limit } = pageOf(c);
        return (await providers.list()).slice(skip, skip + limit).map(providerView);
      },
    }),
    route({
      method: 'get',
      path: '/v1/providers/:name',
      guard: guards.reader,
      id: 'getProvider',
      tag: 'Providers',
      summary: 'Get a provider.',
      parameters: [NAME],
      answer: answerOf('The provider.', provider, MISTRAL),
      run: async (c) => providerView(await providers.get(c.req.param('name'))),
    }),
    route({
      method: 'patch',
      path: '/v1/providers/:name',
      guard: guards.admin,
      id: 'changeProvider',
      tag: 'Providers',
      summary: 'Change a provider.',
      description:
        'Each specified member is replaced completely; null removes a member. A new address requires new secrets. Requests in flight keep using the old settings. Returns 409 for a provider in the configuration file.',
      parameters: [NAME],
      request: {
        schema: providerChanges,
        examples: { key: { api_key: 'sk-…' }, clear: { max_connections: null } },
      },
      answer: answerOf('The changed provider.', provider, MISTRAL),
      errors: [409],
      run: async (c, changes) => providerView(await providers.change(c.req.param('name'), changes)),
    }),
    route({
      method: 'delete',
      path: '/v1/providers/:name',
      guard: guards.admin,
      id: 'deleteProvider',
      tag: 'Providers',
      summary: 'Delete a provider.',
      description:
        'Requests in flight are completed. Returns 409 for a provider that is used by aliases or defined in the configuration file.',
      parameters: [NAME],
      answer: noContent('The provider is deleted.'),
      errors: [409],
      run: async (c) => {
        await providers.delete(c.req.param('name'));
      },
    }),
  ];
}
