import type { Command, CommandGroup } from '../../../../serve/cli/command.ts';
import { CONFIG_OPTIONS } from '../config-options.ts';
import { DATA_FORMAT_OPTION, printData } from '../data-format.ts';
import { nameAndValue } from '../../../../serve/cli/name-and-value.ts';
import { atLeast, exactly } from '../../../../serve/cli/positionals.ts';
import { refuseUnknown } from './refuse-unknown.ts';
import { editServerSecrets, readServerSecrets } from './server-secrets.ts';

/** What the secrets file holds by name of a server. */
export interface SecretKind {
  readonly table: 'env' | 'volumes' | 'headers';
  /** As in `Set variables`. */
  readonly nouns: string;
  /** What stands for one in help. */
  readonly pair: string;
  readonly areHidden: boolean;
}

/** `set`, `list`, `remove` and `clear` of one kind of values. */
export const secretValues = (kind: SecretKind): CommandGroup => ({
  summary: `The ${kind.nouns} of a server, in the secrets file.`,
  commands: {
    set: setValues(kind),
    list: listValues(kind),
    remove: removeValues(kind),
    clear: clearValues(kind),
  },
});

const setValues = ({ table, nouns, pair }: SecretKind): Command => ({
  summary: `Set ${nouns} of a server; those it has besides stay.`,
  positionals: `<server> <${pair}>...`,
  options: {
    ...CONFIG_OPTIONS,
    literal: { help: 'Take dollar signs as they are, instead of as the beginning of a variable' },
  },
  async run(invocation, output) {
    const { first, rest } = atLeast(invocation, '<server>', `<${pair}>`);
    const [server] = first;
    const pairs = [first[1], ...rest].map((text) => nameAndValue(text));
    const { escapeDollars } = await import('../../../../core/text/expand.ts');
    const { setSecret } = await import('../../config-edit/secrets-text.ts');
    const write = (value: string): string => (invocation.flag('literal') ? escapeDollars(value) : value);
    return await editServerSecrets(invocation, output, {
      server,
      edit: (text) =>
        pairs.reduce((edited, [name, value]) => setSecret(edited, server, [table, name], write(value)), text),
    });
  },
});

const listValues = ({ table, nouns, areHidden }: SecretKind): Command => ({
  summary: `List the ${nouns} of a server.`,
  positionals: '<server>',
  options: {
    ...CONFIG_OPTIONS,
    ...DATA_FORMAT_OPTION,
    ...(areHidden ? { reveal: { help: 'Show the values, not only which are set' } } : {}),
  },
  async run(invocation, output) {
    const [server] = exactly(invocation, '<server>');
    const { hideValue } = await import('../../config/hide-values.ts');
    const { [table]: values } = await readServerSecrets(invocation, server);
    const isHidden = areHidden && !invocation.flag('reveal');
    const shown = Object.entries(values).map(([name, value]) => [name, isHidden ? hideValue(value) : value]);
    await printData(invocation, output, {
      data: Object.fromEntries(shown),
      lines: () => shown.map(([name, value]) => `${name}=${value}`),
    });
    return 0;
  },
});

const removeValues = ({ table, nouns }: SecretKind): Command => ({
  summary: `Remove ${nouns} of a server.`,
  positionals: '<server> <name>...',
  options: CONFIG_OPTIONS,
  async run(invocation, output) {
    const { first, rest } = atLeast(invocation, '<server>', '<name>');
    const [server, name] = first;
    const { setSecret } = await import('../../config-edit/secrets-text.ts');
    const { [table]: values } = await readServerSecrets(invocation, server);
    refuseUnknown([name, ...rest], Object.keys(values), server);
    return await editServerSecrets(invocation, output, {
      server,
      edit: (text) =>
        [name, ...rest].reduce((edited, key) => setSecret(edited, server, [table, key], undefined), text),
    });
  },
});

const clearValues = ({ table, nouns }: SecretKind): Command => ({
  summary: `Remove all ${nouns} of a server.`,
  positionals: '<server>',
  options: CONFIG_OPTIONS,
  async run(invocation, output) {
    const [server] = exactly(invocation, '<server>');
    const { removeSecrets } = await import('../../config-edit/secrets-text.ts');
    return await editServerSecrets(invocation, output, {
      server,
      edit: (text) => removeSecrets(text, server, table),
    });
  },
});
