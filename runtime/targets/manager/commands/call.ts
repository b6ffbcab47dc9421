import { type Command, type Invocation, UsageError } from '#serve/cli/command.ts';
import { commonOptions } from '#serve/cli/common-options.ts';
import { atLeast } from '#serve/cli/positionals.ts';
import { readInput } from '#serve/cli/read-input.ts';
import type { ToolArguments } from '../client/call-tool.ts';
import { DAEMON_CLIENT_OPTIONS, withManager } from './client-options.ts';

/** `call`: calls one tool once. */
export const callCommand: Command = {
  summary: 'Call a tool and print its result. Exits with 1 if the tool fails.',
  positionals: "<server> <tool> ['{json}' | key=value ...]",
  options: {
    'args-file': {
      value: 'file',
      help: 'File with the arguments as a JSON object; - reads standard input',
    },
    confirm: { help: 'Confirm the call, for tools that require approval' },
    ...commonOptions({
      json: { help: 'Print the complete result as JSON instead of only its text' },
    }),
    ...DAEMON_CLIENT_OPTIONS,
  },
  async run(invocation, output) {
    const { first, rest } = atLeast(invocation, '<server>', '<tool>');
    const [server, tool] = first;
    const args = await readArguments(invocation, rest);
    const [full, confirm] = [invocation.flag('json'), invocation.flag('confirm')];
    const { callToolOnce: callTool } = await import('../client/call-tool.ts');
    return withManager(invocation, (manager) =>
      callTool(manager, { server, tool, args, full, confirm }, output),
    );
  },
};

async function readArguments(invocation: Invocation, rest: readonly string[]): Promise<ToolArguments> {
  const { isPair, parseArguments } = await import('../client/tool-arguments.ts');
  const file = invocation.value('args-file');
  const [only] = rest;
  if (file !== undefined) {
    if (only !== undefined)
      throw new UsageError('--args-file conflicts with arguments after the tool; use one of them.');
    return {
      values: parseArguments(await readInput(file, 'the arguments'), file === '-' ? 'Standard input' : file),
    };
  }
  if (only === undefined) return { values: {} };
  if (rest.length > 1 || isPair(only)) return { pairs: rest };
  if (only === '-')
    return { values: parseArguments(await readInput('-', 'the arguments'), 'Standard input') };
  return { values: parseArguments(only, 'The argument') };
}
