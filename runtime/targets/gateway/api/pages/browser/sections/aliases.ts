import type { Static } from 'typebox';
import type { alias } from '#gateway/api/aliases.ts';
import { listed } from '#serve/http/pages/browser/dom.ts';
import { badge } from '#serve/http/pages/browser/components/facts.ts';
import { resourcePages } from '../parts/resource.ts';

export const ALIASES = resourcePages<Static<typeof alias>>({
  path: 'aliases',
  name: 'Aliases',
  noun: 'alias',
  id: 'name',
  newSchema: 'NewAlias',
  changeSchema: 'AliasChanges',
  columns: [
    { key: 'name', title: 'Name' },
    {
      key: 'targets',
      title: 'Models',
      cell: (row) =>
        listed(row.targets.map(({ model, weight }) => (weight === 1 ? model : `${model} × ${weight}`))),
    },
    { key: 'strategy', title: 'Strategy' },
    { key: 'fallbacks', title: 'Fallbacks', cell: (row) => listed(row.fallbacks) },
    {
      key: 'status',
      title: 'Status',
      cell: (row) => badge(row.status, row.status === 'active' ? 'good' : 'warning'),
    },
    { key: 'source', title: 'Configured in' },
  ],
  empty: 'No aliases. An alias is one name for several models, with weights and fallbacks.',
  deletion: 'Requests that use this name will be rejected.',
  intro: 'Aliases in the configuration file can only be changed there.',
  canChange: ({ source }) => source === 'database',
});
