import type { Command, CommandGroup } from '#serve/cli/command.ts';
import { CONFIG_OPTIONS } from '../config-options.ts';
import { MCPD_FORCE_OPTION } from '../mcpd-options.ts';
import { DATA_FORMAT_OPTION, printData } from '../data-format.ts';
import { nameAndValue } from '#serve/cli/values.ts';
import { atLeast, exactly } from '#serve/cli/positionals.ts';
import { refuseUnknown } from './refuse-unknown.ts';
import { editServerSecrets, readServerSecrets } from './server-secrets.ts';

/** A kind of named value that the secrets file holds for a server. */
export interface SecretKind {
  readonly table: 'env' | 'volumes' | 'headers' | 'credentials';
  /** Plural noun for help texts, for example `variables`. */
  readonly nouns: string;
  /** Syntax of one value on the command line, for help texts. */
  readonly pair: string;
  readonly areHidden: boolean;
}

/** The commands `set`, `list`, `remove` and `clear` for one kind of value. */
export const secretValues = (kind: SecretKind): CommandGroup => ({
  summary: `Manage a server's ${kind.nouns} in the secrets file.`,
  commands: {
    set: setValues(kind),
    list: listValues(kind),
    remove: removeValues(kind),
    clear: clearValues(kind),
  },
});

const setValues = ({ table, nouns, pair }: SecretKind): Command => ({
  summary: `Set a server's ${nouns}. Existing ${nouns} with other names are kept.`,
  positionals: `<server> <${pair}>...`,
  options: {
    ...CONFIG_OPTIONS,
    literal: { help: 'Keep dollar signs as written instead of expanding variables' },
  },
  async run(invocation, output) {
    const { first, rest } = atLeast(invocation, '<server>', `<${pair}>`);
    const [server] = first;
    const pairs = [first[1], ...rest].map((text) => nameAndValue(text));
    const { escapeDollars } = await import('#core/text/expand.ts');
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
  summary: `List a server's ${nouns}.`,
  positionals: '<server>',
  options: {
    ...CONFIG_OPTIONS,
    ...DATA_FORMAT_OPTION,
    ...(areHidden ? { reveal: { help: 'Show the values instead of ***' } } : {}),
  },
  async run(invocation, output) {
    const [server] = exactly(invocation, '<server>');
    const { maskValue } = await import('../../config/mask-values.ts');
    const { [table]: values } = await readServerSecrets(invocation, server);
    const isHidden = areHidden && !invocation.flag('reveal');
    const shown = Object.entries(values).map(([name, value]) => [name, isHidden ? maskValue(value) : value]);
    await printData(invocation, output, {
      data: Object.fromEntries(shown),
      lines: () => shown.map(([name, value]) => `${name}=${value}`),
    });
    return 0;
  },
});

const removeValues = ({ table, nouns }: SecretKind): Command => ({
  summary: `Remove ${nouns} from a server.`,
  positionals: '<server> <name>...',
  options: CONFIG_OPTIONS,
  async run(invocation, output) {
    const { first, rest } = atLeast(invocation, '<server>', '<name>');
    const [server, name] = first;
    const { setSecret } = await import('../../config-edit/secrets-text.ts');
    const { [table]: values } = await readServerSecrets(invocation, server);
    refuseUnknown([name, ...rest], Object.keys(values), `the list of ${nouns} for ${server}`);
    return await editServerSecrets(invocation, output, {
      server,
      edit: (text) =>
        [name, ...rest].reduce((edited, key) => setSecret(edited, server, [table, key], undefined), text),
    });
  },
});

const clearValues = ({ table, nouns }: SecretKind): Command => ({
  summary: `Remove all of a server's ${nouns}.`,
  positionals: '<server>',
  options: { ...CONFIG_OPTIONS, ...MCPD_FORCE_OPTION },
  async run(invocation, output) {
    const [server] = exactly(invocation, '<server>');
    const { removeSecrets } = await import('../../config-edit/secrets-text.ts');
    return await editServerSecrets(invocation, output, {
      server,
      edit: (text) => removeSecrets(text, server, table),
    });
  },
});
