import { commonOptions } from '../../../../serve/cli/common-options.ts';
import { type Command, type Invocation, UsageError } from '../../../../serve/cli/command.ts';
import { addKey } from '../../access/edit-keys.ts';
import { EXPIRY_RULE, parseExpiry } from '../../../../core/time/expiry.ts';
import { newKey } from '../../access/new-key.ts';
import { parseRate, RATE_RULE } from '../../access/rate.ts';
import { isJson } from '../../../../serve/cli/output-format.ts';
import { KEYS_OPTIONS, keysFile } from './options.ts';
import { recordOf } from '../../../../core/values/keys.ts';

/** `keys create`: the key is printed, and kept nowhere. */
export const createKeyCommand: Command = {
  summary: 'Make an API key. With the first one, calls need a key.',
  options: {
    name: { value: 'name', help: 'Whose key it is; stands in logs' },
    server: { value: 'pattern', help: 'Servers it may use, as time or git*; else all', repeatable: true },
    tool: {
      value: 'pattern',
      help: 'Tools it may use, e.g. git/log or git/get_*; of that server, it opens nothing else',
      repeatable: true,
    },
    prompt: { value: 'pattern', help: 'Prompts it may get, e.g. git/*; works as --tool', repeatable: true },
    resource: {
      value: 'pattern',
      help: 'Resources it may read, e.g. docs/file:///public/*; works as --tool',
      repeatable: true,
    },
    'read-only': { help: 'Only tools that say of themselves that they change nothing' },
    admin: { help: 'Also reload, restart servers, and read logs' },
    rate: { value: 'rate', help: 'How often it may be used, as 100/m; else without limit' },
    ...commonOptions({ expires: { defaultText: 'never' } }),
    ...KEYS_OPTIONS,
  },
  async run(invocation, output) {
    const now = Date.now();
    const file = keysFile(invocation);
    const { key, record } = newKey({
      name: nameOf(invocation),
      servers: patterns(invocation, 'server'),
      tools: patterns(invocation, 'tool'),
      ...given('prompts', patterns(invocation, 'prompt')),
      ...given('resources', patterns(invocation, 'resource')),
      readOnly: invocation.flag('read-only'),
      admin: invocation.flag('admin'),
      ...checked(invocation, 'rate', RATE_RULE, (text) => parseRate(text) && text.replaceAll(' ', '')),
      created: new Date(now).toISOString(),
      ...checked(invocation, 'expires', EXPIRY_RULE, (text) => expiry(text, now)),
    });
    await addKey(file, record, now);
    const { hash: _hash, ...shown } = record;
    output.err(`Added to ${file}. The key is shown this once:\n`);
    output.out(isJson(invocation) ? `${JSON.stringify({ key, ...shown })}\n` : `${key}\n`);
    return 0;
  },
};

function nameOf(invocation: Invocation): string {
  const name = invocation.value('name')?.trim() ?? '';
  if (name === '') throw new UsageError('The key needs a name: --name <name>.');
  return name;
}

function patterns(invocation: Invocation, option: string): string[] {
  return invocation.values(option).map((text) => {
    const pattern = text.trim();
    if (pattern === '') throw new UsageError(`--${option}: an empty pattern fits nothing; * fits all.`);
    return pattern;
  });
}

const given = <Name extends string>(name: Name, list: string[]): Partial<Record<Name, string[]>> =>
  list.length === 0 ? {} : recordOf([[name, list]]);

function checked<Name extends string>(
  invocation: Invocation,
  name: Name,
  rule: string,
  parse: (text: string) => string | undefined,
): Partial<Record<Name, string>> {
  const text = invocation.value(name);
  if (text === undefined) return {};
  const value = parse(text);
  if (value === undefined) throw new UsageError(`--${name}: ${JSON.stringify(text)} is not ${rule}.`);
  return recordOf([[name, value]]);
}

function expiry(text: string, now: number): string | undefined {
  const time = parseExpiry(text, now);
  if (time === undefined) return undefined;
  if (time <= now) throw new UsageError(`--expires: ${JSON.stringify(text)} is over already.`);
  return new Date(time).toISOString();
}
