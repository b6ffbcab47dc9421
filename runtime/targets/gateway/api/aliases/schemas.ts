import { Type } from 'typebox';
import { closed, oneOf, orNull } from '#serve/http/schemas.ts';
import { STRATEGIES } from '../../requests/routing/strategies.ts';
import { storedAlias } from '../../config/schemas/stored-entries.ts';
import { nonEmptyText } from '../http/fields.ts';
import { entryFields, schemaOfFile } from '../providers/schemas.ts';

const { targets, strategy, fallbacks } = storedAlias.properties;
const settings = {
  targets: schemaOfFile(targets),
  strategy: schemaOfFile(strategy),
  fallbacks: schemaOfFile(fallbacks),
};

export const newAlias = closed(
  'NewAlias',
  {
    name: nonEmptyText('Name of the alias, which requests have as their model.'),
    targets: settings.targets,
    strategy: Type.Optional(settings.strategy),
    fallbacks: Type.Optional(settings.fallbacks),
  },
  'An alias of one or several models.',
);

export const aliasChanges = closed(
  'AliasChanges',
  {
    targets: Type.Optional(settings.targets),
    strategy: Type.Optional(orNull(settings.strategy)),
    fallbacks: Type.Optional(orNull(settings.fallbacks)),
  },
  'Members that are not set stay unchanged; null removes one.',
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
    ...entryFields,
  },
  'An alias of one or several models. Targets whose provider does not exist are listed, but not used.',
);

export const aliases = Type.Array(alias);
