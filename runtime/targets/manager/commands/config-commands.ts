import type { Commands } from '#serve/cli/command.ts';
import { addCommand } from './add.ts';
import { completionCommand } from '#serve/cli/completion-command.ts';
import { configGroup } from './config/config.ts';
import { exportCommand } from './export.ts';
import { importCommand } from './import.ts';
import { initCommand } from './init.ts';
import { installCommand } from './install.ts';
import { listCommand } from './list.ts';
import { pinCommand } from './pin.ts';
import { removeCommand } from './remove.ts';
import { searchCommand } from './search.ts';
import { validateCommand } from './validate.ts';

/** Commands that read and write the configuration files. */
export const SERVER_CONFIG_COMMANDS: Commands = {
  init: initCommand,
  add: addCommand,
  remove: removeCommand,
  list: listCommand,
  pin: pinCommand,
  validate: validateCommand,
  import: importCommand,
  install: installCommand,
  search: searchCommand,
  export: exportCommand,
  config: configGroup,
  completion: completionCommand,
};
