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

/** A schema from the configuration file, without the keyword that only the file's messages use. */
export const schemaOfFile = (schema: TSchema): TSchema =>
  parseJsonText(JSON.stringify(schema, withoutRule)) as TSchema;

/** A member of a change, which keeps its value if it is not set: the file's default does not apply there. */
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
  'Members that are not set stay unchanged; null removes one.',
);

/** Members that providers and aliases have in common. */
export const entryFields = {
  source: oneOf(['file', 'database'], {
    description:
      'Where the entry is defined: in the configuration file, where it can only be changed in the file, or in the database.',
  }),
  status: oneOf(['active', 'shadowed', 'invalid'], {
    description:
      '`shadowed`: the configuration file has an entry with the same name, which takes precedence. `invalid`: this gateway cannot use the entry.',
  }),
  problem: orNull(Type.String(), 'Why the entry, or part of it, is not used.'),
  created_at: timeOrNull('Creation time; null for an entry in the file.'),
  updated_at: timeOrNull('Time of the last change; null for an entry in the file.'),
};

export const provider = closed(
  'Provider',
  {
    name: Type.String(),
    type: orNull(Type.String(), 'API of the provider; null unless it is active.'),
    api_base: orNull(
      Type.String(),
      'Base URL; null unless it is active, and for a program configured in the file.',
    ),
    local: orNull(Type.Boolean(), 'Whether private addresses are allowed; null unless it is active.'),
    models: orNull(Type.Array(Type.String()), 'Configured list of models; null if there is none.'),
    secrets: Type.Array(Type.String(), {
      description: 'Names of its secrets, whose values are never returned.',
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
        'The settings are named as in the configuration file. Secrets are stored encrypted and never returned. All gateways that share the database use the provider within a second.',
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
        'Each member is replaced completely; null removes one. A new address requires new secrets. Requests in flight keep the old settings. 409 for a provider in the configuration file.',
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
        'Requests in flight are finished. 409 for a provider that aliases use, and for one in the configuration file.',
      parameters: [NAME],
      answer: noContent('The provider is deleted.'),
      errors: [409],
      run: async (c) => {
        await providers.delete(c.req.param('name'));
      },
    }),
  ];
}
