import { Type } from 'typebox';
import { answerOf, noContent } from '#serve/http/openapi/describe.ts';
import type { Route } from '#serve/http/route.ts';
import { closed, oneOf, orNull } from '#serve/http/schemas.ts';
import { storedAlias } from '../config/schemas/stored-entries.ts';
import type { GatewayContext } from '../context.ts';
import { STRATEGIES } from '../requests/routing/strategies.ts';
import { nonEmptyText } from './http/fields.ts';
import { pageOfList, pageOf } from './http/lists.ts';
import type { HttpParts } from './http/parts.ts';
import { entryFields, memberOfChanges, schemaOfFile } from './providers.ts';
import { aliasView } from './views/models.ts';

const { targets, strategy, fallbacks, shadow, ab } = storedAlias.properties;
const settings = {
  targets: schemaOfFile(targets),
  strategy: schemaOfFile(strategy),
  fallbacks: schemaOfFile(fallbacks),
  shadow: schemaOfFile(shadow),
  ab: schemaOfFile(ab),
};

const newAlias = closed(
  'NewAlias',
  {
    name: nonEmptyText('Name of the alias, which requests use as the model name.'),
    targets: settings.targets,
    strategy: Type.Optional(settings.strategy),
    fallbacks: Type.Optional(settings.fallbacks),
    shadow: Type.Optional(settings.shadow),
    ab: Type.Optional(settings.ab),
  },
  'An alias for one or more models.',
);

const aliasChanges = closed(
  'AliasChanges',
  {
    targets: Type.Optional(settings.targets),
    strategy: memberOfChanges(settings.strategy),
    fallbacks: memberOfChanges(settings.fallbacks),
    shadow: memberOfChanges(settings.shadow),
    ab: memberOfChanges(settings.ab),
  },
  'Omitted members stay unchanged; null removes a member.',
);

export const alias = closed(
  'Alias',
  {
    name: Type.String(),
    targets: Type.Array(
      Type.Object({ model: Type.String(), weight: Type.Number() }, { additionalProperties: false }),
    ),
    strategy: oneOf(STRATEGIES, { description: 'How a target is selected.' }),
    fallbacks: Type.Array(Type.String()),
    shadow: orNull(
      Type.Object({}, { additionalProperties: true }),
      'Settings of the shadow evaluation; null without one.',
    ),
    ab: orNull(
      Type.Object({}, { additionalProperties: true }),
      'Settings of the A/B test; null without one.',
    ),
    ...entryFields,
  },
  'An alias for one or more models. Targets whose provider does not exist are listed but not used.',
);

const aliasList = Type.Array(alias);

export const ALIAS_EXAMPLE = {
  name: 'fast',
  targets: [
    { model: 'mistral:mistral-small-latest', weight: 3 },
    { model: 'openai:gpt-5-mini', weight: 1 },
  ],
  strategy: 'weighted' as const,
  fallbacks: ['anthropic:claude-haiku-4-5'],
  shadow: null,
  ab: null,
  source: 'database' as const,
  status: 'active' as const,
  problem: null,
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
};

const NAME = {
  name: 'name',
  description: 'Name of the alias, including any slashes.',
  example: ALIAS_EXAMPLE.name,
};

/** `/v1/aliases`: the aliases in the configuration file and those created at run time. Names can contain slashes. */
export function aliasRoutes({ aliases }: GatewayContext, { guards, route }: HttpParts): readonly Route[] {
  return [
    route({
      method: 'post',
      path: '/v1/aliases',
      guard: guards.admin,
      id: 'createAlias',
      tag: 'Providers',
      summary: 'Create an alias.',
      description:
        'All gateways that share the database apply the change within a second. Keys and teams need permission for the alias name, not for its models.',
      request: {
        schema: newAlias,
        examples: {
          two: { name: 'fast', targets: ALIAS_EXAMPLE.targets, fallbacks: ALIAS_EXAMPLE.fallbacks },
        },
      },
      answer: answerOf('The alias.', alias, ALIAS_EXAMPLE),
      errors: [409],
      run: async (_c, { name, ...settings }) => aliasView(await aliases.create(name, settings)),
    }),
    route({
      method: 'get',
      path: '/v1/aliases',
      guard: guards.reader,
      id: 'listAliases',
      tag: 'Providers',
      summary: 'List the aliases in the configuration file and in the database, by name.',
      ...pageOfList({ schema: aliasList, example: [ALIAS_EXAMPLE] }),
      run: async (c) => {
        const { skip, limit } = pageOf(c);
        return (await aliases.list()).slice(skip, skip + limit).map(aliasView);
      },
    }),
    route({
      method: 'get',
      path: '/v1/aliases/:name{.+}',
      guard: guards.reader,
      id: 'getAlias',
      tag: 'Providers',
      summary: 'Get an alias.',
      parameters: [NAME],
      answer: answerOf('The alias.', alias, ALIAS_EXAMPLE),
      run: async (c) => aliasView(await aliases.get(c.req.param('name'))),
    }),
    route({
      method: 'patch',
      path: '/v1/aliases/:name{.+}',
      guard: guards.admin,
      id: 'changeAlias',
      tag: 'Providers',
      summary: 'Change an alias.',
      description:
        'Each specified member is replaced completely. Requests in flight keep using the old targets. Returns 409 for an alias in the configuration file.',
      parameters: [NAME],
      request: { schema: aliasChanges, examples: { strategy: { strategy: 'cheapest' } } },
      answer: answerOf('The changed alias.', alias, { ...ALIAS_EXAMPLE, strategy: 'cheapest' }),
      errors: [409],
      run: async (c, changes) => aliasView(await aliases.change(c.req.param('name'), changes)),
    }),
    route({
      method: 'delete',
      path: '/v1/aliases/:name{.+}',
      guard: guards.admin,
      id: 'deleteAlias',
      tag: 'Providers',
      summary: 'Delete an alias.',
      description: 'Returns 409 for an alias in the configuration file.',
      parameters: [NAME],
      answer: noContent('The alias is deleted.'),
      errors: [409],
      run: async (c) => {
        await aliases.delete(c.req.param('name'));
      },
    }),
  ];
}
