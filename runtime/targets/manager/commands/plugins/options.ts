import { type Invocation, type Option, UsageError } from '../../../../serve/cli/command.ts';
import type { PluginId } from '../../config-edit/plugins-table.ts';
import {
  PLUGIN_CATEGORIES,
  PLUGIN_FLOWS,
  PLUGIN_KINDS,
  type PluginCategory,
} from '../../config/plugin-settings.ts';
import { nameAndValue } from '../../../../serve/cli/name-and-value.ts';

const CATEGORY = { value: 'category', help: 'Its category', choices: PLUGIN_CATEGORIES } satisfies Option;

export const CATEGORY_OPTION = { category: CATEGORY };

/** Which plugin is meant. */
export const PLUGIN_OPTIONS = {
  category: CATEGORY,
  name: { value: 'name', help: 'Its name' },
} satisfies Readonly<Record<string, Option>>;

/** What can be said of a plugin. */
export const ENTRY_OPTIONS = {
  flow: {
    value: 'flow',
    help: 'What it is asked about; may be given twice',
    choices: PLUGIN_FLOWS,
    repeatable: true,
  },
  required: { help: 'Let nothing through without it' },
  'commit-hash': { value: 'hash', help: 'What it must say it was built from', mayBeEmpty: true },
  kind: {
    value: 'kind',
    help: 'A program (exec, the default), a server (http) or a module (js)',
    choices: PLUGIN_KINDS,
  },
  url: { value: 'url', help: 'Where a server is asked', mayBeEmpty: true },
  path: { value: 'file', help: 'Where a module is', mayBeEmpty: true },
  timeout: { value: 'time', help: 'How long it may take, as 500ms; 5s by default', mayBeEmpty: true },
  config: { value: 'NAME=value', help: 'What it is configured with', repeatable: true },
} satisfies Readonly<Record<string, Option>>;

const KEYS = {
  kind: 'kind',
  url: 'url',
  path: 'path',
  'commit-hash': 'commit_hash',
  timeout: 'timeout',
} as const;

/** The keys that the command line sets; `undefined` for those that an empty text takes out. */
export function entryFrom(invocation: Invocation): Record<string, unknown> {
  const texts = Object.entries(KEYS).filter(([option]) => invocation.given(option));
  const config = invocation.values('config').map((text) => nameAndValue(text));
  return {
    ...Object.fromEntries(texts.map(([option, key]) => [key, invocation.value(option) || undefined])),
    ...(invocation.given('required') ? { required: invocation.flag('required') } : {}),
    ...(invocation.given('flow') ? { flows: [...new Set(invocation.values('flow'))] } : {}),
    ...(config.length > 0 ? { config: Object.fromEntries(config) } : {}),
  };
}

export function categoryOf(invocation: Invocation, option = 'category'): PluginCategory {
  const category = PLUGIN_CATEGORIES.find((known) => known === invocation.value(option));
  if (category === undefined) {
    throw new UsageError(`Which category? --${option} is one of ${PLUGIN_CATEGORIES.join(', ')}.`);
  }
  return category;
}

export function pluginOf(invocation: Invocation): PluginId {
  const category = categoryOf(invocation);
  const name = invocation.value('name');
  if (name === undefined) throw new UsageError('Which plugin? Give its name with --name.');
  return { category, name };
}
