import { commonOptions } from '#serve/cli/common-options.ts';
import { type Command, type Invocation, UsageError } from '#serve/cli/command.ts';
import { MCP_MODES, parseMcpMode } from '../../config/mcp-mode.ts';
import { serverName } from '../../config/server-name.ts';
import { omitUndefined } from '#core/json/omit-undefined.ts';
import { EXPIRY_RULE, parseExpiry } from '#core/time/expiry.ts';
import { newKey } from '../../access/new-key.ts';
import { parseRate, RATE_RULE } from '../../access/token-bucket.ts';
import { numberIn } from '#core/numbers/number-in.ts';
import { isResultLimit, RESULT_LIMIT_RULE, RESULT_LIMITS } from '../../long-results/result-limits.ts';
import { isJson } from '#serve/cli/output-format.ts';
import { KEYS_OPTIONS, keysFile } from './options.ts';
import { recordOf } from '#core/values/keys.ts';

/** The flags that grant admin permission to a key. */
const ADMIN_FLAGS = ['admin', 'admin-read-only', 'edit'];

/** `keys create`: prints the new key. Only its hash is stored. */
export const createClientKeyCommand: Command = {
  summary: 'Create an API key. Once a key exists, calls require one.',
  options: {
    name: { value: 'name', help: 'Name of the key, shown in logs' },
    server: {
      value: 'pattern',
      help: 'Allowed servers, e.g. time or git*',
      defaultText: 'all',
      repeatable: true,
    },
    tool: {
      value: 'pattern',
      help: 'Allowed tools, e.g. git/log or git/get_*; anything else on that server is denied',
      repeatable: true,
    },
    prompt: { value: 'pattern', help: 'Allowed prompts, e.g. git/*; works like --tool', repeatable: true },
    resource: {
      value: 'pattern',
      help: 'Allowed resources, e.g. docs/file:///public/*; works like --tool',
      repeatable: true,
    },
    group: {
      value: 'name',
      help: 'Allow only the servers and tools of this configured group',
      repeatable: true,
    },
    'read-only': { help: 'Allow only tools with the annotation readOnlyHint' },
    admin: {
      help: 'Allow the key to restart its servers and read their logs, configuration and audit log; without server limits, also to reload',
    },
    'admin-read-only': { help: 'Restrict the admin permission to reading; implies --admin' },
    edit: {
      help: 'Allow the key to change servers and keys over HTTP, which can run any command; implies --admin, and requires a key without server limits',
    },
    'result-limit': {
      value: 'characters',
      help: 'Shorten longer tool results over MCP; 0 for no limit',
      defaultText: 'that of the manager',
    },
    'mcp-mode': {
      value: 'mode',
      help: 'Tools at /mcp: all tools, or two tools to search them and to call them or run scripts (code)',
      choices: MCP_MODES,
      defaultText: 'that of the group or manager',
    },
    rate: { value: 'rate', help: 'Rate limit, e.g. 100/m', defaultText: 'unlimited' },
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
      ...nonEmptyMember('prompts', patterns(invocation, 'prompt')),
      ...nonEmptyMember('resources', patterns(invocation, 'resource')),
      ...nonEmptyMember('groups', patterns(invocation, 'group').map(serverName)),
      readOnly: invocation.flag('read-only'),
      admin: ADMIN_FLAGS.some((flag) => invocation.flag(flag)),
      ...(invocation.flag('admin-read-only') ? { adminReadOnly: true } : {}),
      ...(invocation.flag('edit') ? { edit: true } : {}),
      ...checked(invocation, 'rate', RATE_RULE, (text) => parseRate(text) && text.replaceAll(' ', '')),
      ...resultLimit(invocation),
      ...omitUndefined({ mcpMode: parseMcpMode(invocation.value('mcp-mode')) }),
      created: new Date(now).toISOString(),
      ...checked(invocation, 'expires', EXPIRY_RULE, (text) => expiry(text, now)),
    });
    const { addKey } = await import('../../access/key-file.ts');
    await addKey(file, record, now);
    const { hash: _hash, ...shown } = record;
    output.err(`Added the key to ${file}. It is shown only once:\n`);
    output.out(isJson(invocation) ? `${JSON.stringify({ key, ...shown })}\n` : `${key}\n`);
    return 0;
  },
};

function nameOf(invocation: Invocation): string {
  const name = invocation.value('name')?.trim() ?? '';
  if (name === '') throw new UsageError('Missing option: --name <name>.');
  return name;
}

function patterns(invocation: Invocation, option: string): string[] {
  return invocation.values(option).map((text) => {
    const pattern = text.trim();
    if (pattern === '') throw new UsageError(`--${option} must not be empty. Use * to allow all.`);
    return pattern;
  });
}

const nonEmptyMember = <Name extends string>(name: Name, list: string[]): Partial<Record<Name, string[]>> =>
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

function resultLimit(invocation: Invocation): { readonly resultLimit?: number } {
  const text = invocation.value('result-limit');
  if (text === undefined) return {};
  const limit = numberIn(text, { min: 0, max: RESULT_LIMITS.max });
  if (limit !== undefined && isResultLimit(limit)) return { resultLimit: limit };
  throw new UsageError(`--result-limit: ${JSON.stringify(text)} is not ${RESULT_LIMIT_RULE}.`);
}

function expiry(text: string, now: number): string | undefined {
  const time = parseExpiry(text, now);
  if (time === undefined) return undefined;
  if (time <= now) throw new UsageError(`--expires: ${JSON.stringify(text)} is in the past.`);
  return new Date(time).toISOString();
}
