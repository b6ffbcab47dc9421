import type { Command, CommandGroup } from '#serve/cli/command.ts';
import { CONFIG_OPTIONS } from '../config-options.ts';
import { MCPD_FORCE_OPTION } from '../mcpd-options.ts';
import { DATA_FORMAT_OPTION, printData } from '../data-format.ts';
import { atLeast, exactly } from '#serve/cli/positionals.ts';
import { editServerSecrets, readServerSecrets } from './server-secrets.ts';

const setArgs: Command = {
  summary:
    'Set arguments of a server. A flag replaces the same flag; positional arguments replace all existing ones.',
  positionals: '<server> -- <argument>...',
  options: {
    ...CONFIG_OPTIONS,
    literal: { help: 'Keep dollar signs instead of expanding variables' },
    // A flag of mcpd for what is the default here.
    'merge-flags': { help: 'Keep the flags that are not set', hidden: true },
  },
  async run(invocation, output) {
    const { first, rest } = atLeast(invocation, '<server>', '<argument>');
    const [server] = first;
    const { escapeDollars } = await import('#core/text/expand.ts');
    const { mergeArgs } = await import('../../config-edit/merge-args.ts');
    const added = [first[1], ...rest].map((arg) => (invocation.flag('literal') ? escapeDollars(arg) : arg));
    const { editArgs } = await import('../../config-edit/secrets-text.ts');
    return await editServerSecrets(invocation, output, {
      server,
      edit: (text) => editArgs(text, server, (args) => mergeArgs(args, added)),
    });
  },
};

const listArgs: Command = {
  summary: 'List the arguments of a server.',
  positionals: '<server>',
  options: {
    ...CONFIG_OPTIONS,
    ...DATA_FORMAT_OPTION,
    reveal: { help: 'Show values that look like secrets' },
  },
  async run(invocation, output) {
    const [server] = exactly(invocation, '<server>');
    const { maskArgs } = await import('../../config/mask-values.ts');
    const { args } = await readServerSecrets(invocation, server);
    const shown = invocation.flag('reveal') ? args : maskArgs(args);
    await printData(invocation, output, { data: shown, lines: () => shown });
    return 0;
  },
};

const removeArgs: Command = {
  summary: 'Remove arguments of a server: flags by name, positional arguments by value.',
  positionals: '<server> -- <argument>...',
  options: CONFIG_OPTIONS,
  async run(invocation, output) {
    const { first, rest } = atLeast(invocation, '<server>', '<argument>');
    const [server, name] = first;
    const { withoutArgs } = await import('../../config-edit/merge-args.ts');
    const { editArgs } = await import('../../config-edit/secrets-text.ts');
    return await editServerSecrets(invocation, output, {
      server,
      edit: (text) => editArgs(text, server, (args) => withoutArgs(args, [name, ...rest])),
    });
  },
};

const clearArgs: Command = {
  summary: 'Remove all arguments of a server.',
  positionals: '<server>',
  options: { ...CONFIG_OPTIONS, ...MCPD_FORCE_OPTION },
  async run(invocation, output) {
    const [server] = exactly(invocation, '<server>');
    const { removeSecrets } = await import('../../config-edit/secrets-text.ts');
    return await editServerSecrets(invocation, output, {
      server,
      edit: (text) => removeSecrets(text, server, 'args'),
    });
  },
};

export const argsGroup: CommandGroup = {
  summary: 'Manage the arguments of a server in the secrets file.',
  commands: { set: setArgs, list: listArgs, remove: removeArgs, clear: clearArgs },
};
