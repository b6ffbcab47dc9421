import { type Invocation, type Option, UsageError } from '#serve/cli/command.ts';
import type { PluginId } from '../../config-edit/plugins-table.ts';
import {
  PLUGIN_CATEGORIES,
  PLUGIN_FLOWS,
  PLUGIN_KINDS,
  type PluginCategory,
} from '../../config/plugin-settings.ts';
import { nameAndValue } from '#serve/cli/values.ts';

const CATEGORY = {
  value: 'category',
  help: 'Category of the plugin',
  choices: PLUGIN_CATEGORIES,
} satisfies Option;

export const CATEGORY_OPTION = { category: CATEGORY };

/** Options that identify a plugin. */
export const PLUGIN_OPTIONS = {
  category: CATEGORY,
  name: { value: 'name', help: 'Name of the plugin' },
} satisfies Readonly<Record<string, Option>>;

/** Options for plugin settings. */
export const ENTRY_OPTIONS = {
  flow: {
    value: 'flow',
    help: 'Messages to process',
    choices: PLUGIN_FLOWS,
    repeatable: true,
  },
  required: { help: 'Reject requests while the plugin fails' },
  'commit-hash': {
    value: 'hash',
    help: 'Commit hash that the plugin must report',
    canBeEmpty: true,
  },
  kind: {
    value: 'kind',
    help: 'Program (exec, the default), HTTP server (http) or JavaScript module (js)',
    choices: PLUGIN_KINDS,
  },
  url: { value: 'url', help: 'URL of an http plugin', canBeEmpty: true },
  path: { value: 'file', help: 'Path of a js plugin', canBeEmpty: true },
  timeout: { value: 'time', help: 'Timeout per message, e.g. 500ms; 5s if not set', canBeEmpty: true },
  config: { value: 'NAME=value', help: 'Configuration value for the plugin', repeatable: true },
} satisfies Readonly<Record<string, Option>>;

const KEYS = {
  kind: 'kind',
  url: 'url',
  path: 'path',
  'commit-hash': 'commit_hash',
  timeout: 'timeout',
} as const;

/** Returns the keys set on the command line; a key with an empty value becomes `undefined`, which removes it. */
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
    throw new UsageError(`Missing option: --${option}, one of ${PLUGIN_CATEGORIES.join(', ')}.`);
  }
  return category;
}

export function pluginOf(invocation: Invocation): PluginId {
  const category = categoryOf(invocation);
  const name = invocation.value('name');
  if (name === undefined) throw new UsageError('Missing option: --name <name>.');
  return { category, name };
}
