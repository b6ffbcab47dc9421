import type { Command } from '#serve/cli/command.ts';
import { addPluginCommand } from './plugins/add.ts';
import { getPluginCommand } from './plugins/get.ts';
import { listPluginsCommand } from './plugins/list.ts';
import { movePluginCommand } from './plugins/move.ts';
import { removePluginCommand } from './plugins/remove.ts';
import { setPluginCommand } from './plugins/set.ts';
import { validatePluginsCommand } from './plugins/validate.ts';

/** The commands of `config plugins`. */
export const PLUGIN_COMMANDS: Readonly<Record<string, Command>> = {
  add: addPluginCommand,
  get: getPluginCommand,
  list: listPluginsCommand,
  set: setPluginCommand,
  move: movePluginCommand,
  remove: removePluginCommand,
  validate: validatePluginsCommand,
};
