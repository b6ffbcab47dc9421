import { inputError } from '#contract/errors.ts';
import type { Command, Commands } from '#serve/cli/command.ts';
import { isJson, JSON_OPTION } from '#serve/cli/output-format.ts';
import { exactly } from '#serve/cli/positionals.ts';
import { printJson, printLines } from '#serve/cli/terminal.ts';
import { withManager } from '../client-options.ts';
import { openOwned, SECRET_OPTIONS } from './owner.ts';

interface ListedSecret {
  readonly name: string;
  readonly isSet: boolean;
  readonly servers: readonly string[];
}

const apiPathOf = async (...parts: string[]): Promise<string> =>
  (await import('../../client/manager-client.ts')).apiPath('secrets', ...parts);

const setCommand: Command = {
  summary: 'Set a secret of yours for servers. The value is read from stdin or the terminal.',
  positionals: '<name>',
  options: SECRET_OPTIONS,
  async run(invocation, output) {
    const [name] = exactly(invocation, '<name>');
    const owned = await openOwned(invocation);
    const { readSecretValue } = await import('./read-value.ts');
    const value = await readSecretValue(name, output.err);
    if (owned) {
      await owned.store.set(owned.user, { [name]: value });
      if (!owned.uses.has(name)) output.err(`No enabled server requires ${name} yet.\n`);
    } else {
      await withManager(invocation, async (manager) => {
        await manager.put(await apiPathOf(name), { value });
        return 0;
      });
    }
    output.out(`Set ${name}.\n`);
    return 0;
  },
};

const listCommand: Command = {
  summary: 'List your secrets, and those that servers require of you. Values are not shown.',
  options: { ...SECRET_OPTIONS, ...JSON_OPTION },
  async run(invocation, output) {
    const print = (secrets: readonly ListedSecret[]): number => {
      if (isJson(invocation)) printJson(output, { secrets });
      else printLines(output, secrets.map(lineOf));
      return 0;
    };
    const owned = await openOwned(invocation);
    if (owned) {
      const { store, user, uses } = owned;
      const known = store.list(user);
      const names = [...new Set([...known.keys(), ...uses.keys()])].sort();
      return print(names.map((name) => ({ name, isSet: known.has(name), servers: uses.get(name) ?? [] })));
    }
    return await withManager(invocation, async (manager) => {
      const { secrets } = (await manager.get(await apiPathOf())) as { secrets: readonly ListedSecret[] };
      return print(secrets);
    });
  },
};

const lineOf = ({ name, isSet, servers }: ListedSecret): string =>
  `${name}  ${isSet ? 'set' : 'not set'}  ${servers.length === 0 ? 'not used' : servers.join(', ')}`;

const removeCommand: Command = {
  summary: 'Remove a secret of yours.',
  positionals: '<name>',
  options: SECRET_OPTIONS,
  async run(invocation, output) {
    const [name] = exactly(invocation, '<name>');
    const owned = await openOwned(invocation);
    if (!owned) {
      await withManager(invocation, async (manager) => {
        await manager.delete(await apiPathOf(name));
        return 0;
      });
    } else if ((await owned.store.remove(owned.user, name)) === 0) {
      throw inputError(`There is no secret ${JSON.stringify(name)}. See \`mcp-manager secret list\`.`);
    }
    output.out(`Removed ${name}.\n`);
    return 0;
  },
};

const clearCommand: Command = {
  summary: 'Remove all secrets of a user from the files; requires --local, --key or --subject.',
  options: SECRET_OPTIONS,
  async run(invocation, output) {
    const owned = await openOwned(invocation);
    if (!owned) throw inputError('Select the user with --local, --key or --subject.');
    const removed = await owned.store.remove(owned.user);
    output.out(`Removed ${removed} ${removed === 1 ? 'secret' : 'secrets'}.\n`);
    return 0;
  },
};

/** Commands for the secrets of users, which servers get when they run for these users. */
export const USER_SECRET_COMMANDS: Commands = {
  secret: {
    summary: 'Manage secrets of users, which servers get when they run for these users.',
    commands: { set: setCommand, list: listCommand, remove: removeCommand, clear: clearCommand },
  },
};
