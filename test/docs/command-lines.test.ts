import { expect, test } from 'vitest';
import { COMMANDS } from '#cli/index.ts';
import type { Program } from '#serve/cli/command.ts';
import { findCommand } from '#serve/cli/find-command.ts';
import { parseInvocation } from '#serve/cli/parse.ts';
import { encoderProgram } from '#encoder/program.ts';
import { gatewayProgram } from '#gateway/program.ts';
import { managerProgram } from '#manager/program.ts';
import { pagesWithCommands } from './commands/blocks.ts';
import { callsIn, type ProgramCall } from './commands/program-calls.ts';
import { shellSegments } from './commands/shell-segments.ts';

const PROGRAMS: Readonly<Record<string, Program>> = {
  encoder: encoderProgram('', 'model.encoder'),
  'mcp-manager': managerProgram,
  gateway: gatewayProgram,
};

/** Invalid command lines that a page shows with their error message. */
const MISTAKES = new Set(['mcp-manager lst']);

test.each(pagesWithCommands())('commands and options in %s exist', (page) => {
  const problems = callsIn(page).flatMap((call) => {
    const problem = call.program === 'encoderfile' ? problemOfCli(call.args) : problemOf(call);
    const line = [call.program, ...call.args].join(' ');
    return problem === undefined || MISTAKES.has(line) ? [] : [`${line}: ${problem}`];
  });
  expect(problems).toEqual([]);
});

test('commands are found in pipelines, substitutions and quotes, but not in comments and redirections', () => {
  const text =
    'KEY=$(gateway keys create --name "a b") > out.txt # gateway nonsense\ncd "$(encoderfile pull x)" && ./m.encoder infer \'a|b\' \\\n  --json | jq .';
  expect(shellSegments(text)).toEqual([
    ['KEY='],
    ['gateway', 'keys', 'create', '--name', 'a b'],
    ['encoderfile', 'pull', 'x'],
    ['cd', '$(encoderfile pull x)'],
    ['./m.encoder', 'infer', 'a|b', '--json'],
    ['jq', '.'],
  ]);
});

/** The error of a command line with a nonexistent command or option. Values are not checked. */
function problemOf({ program: name, args }: ProgramCall): string | undefined {
  const program = PROGRAMS[name];
  if (program === undefined) throw new Error(`no program ${name}`);
  const { problem, command, args: rest } = findCommand(program, args);
  if (problem) return problem.message;
  if (!command) return undefined;
  try {
    parseInvocation(
      command,
      rest.filter((word) => word !== '--help'),
      {},
      program.options,
    );
    return undefined;
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    return /^(?:Unknown|Unexpected)/.test(message) ? message : undefined;
  }
}

interface Flag {
  readonly char?: string;
  readonly aliases?: readonly string[];
}

/** The flags that `try` and `run` pass to the executable. */
function passedFlags(id: string): string[] {
  const passedTo = { try: 'infer', run: 'serve' }[id];
  const program = encoderProgram('', 'model.encoder');
  const options = passedTo === undefined ? {} : findCommand(program, [passedTo]).command?.options;
  return Object.keys(options ?? {}).map((name) => `--${name}`);
}

function problemOfCli(args: readonly string[]): string | undefined {
  const typed = args.findIndex((word) => word.startsWith('-'));
  const words = typed === -1 ? args : args.slice(0, typed);
  const id = [words.slice(0, 2).join(':'), words[0] ?? ''].find((one) => Object.hasOwn(COMMANDS, one));
  if (id === undefined) {
    const isGroup = Object.keys(COMMANDS).some((one) => one.startsWith(`${words[0]}:`));
    return words.length === 0 || isGroup ? undefined : 'Unknown command';
  }
  const { flags, baseFlags } = COMMANDS[id as keyof typeof COMMANDS];
  const known = Object.entries<Flag>({ ...baseFlags, ...flags }).flatMap(([name, { char, aliases = [] }]) => [
    ...[name, ...aliases].map((one) => `--${one}`),
    ...(char === undefined ? [] : [`-${char}`]),
  ]);
  const all = new Set([...known, ...passedFlags(id), '--json', '--help', '-h']);
  return args
    .map((word) => /^--?[a-z][\w-]*/i.exec(word)?.[0] ?? '--json')
    .map((option) => (/^-\w\w/.test(option) ? option.slice(0, 2) : option))
    .find((option) => !all.has(option));
}
