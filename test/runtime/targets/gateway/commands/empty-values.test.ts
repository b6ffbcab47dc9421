import { expect, test } from 'vitest';
import { commandWords } from '#test/contract/command-words.ts';
import { type Command, isGroup } from '#serve/cli/command.ts';
import { gatewayProgram } from '#gateway/program.ts';
import { runCommand } from './run-command.ts';

function commandAt(words: readonly string[]): Command {
  let at: (typeof gatewayProgram.commands)[string] | undefined = {
    summary: '',
    commands: gatewayProgram.commands,
  };
  for (const word of words) at = at && isGroup(at) ? at.commands[word] : undefined;
  if (!at || isGroup(at)) throw new Error(`no command ${words.join(' ')}`);
  return at;
}

const commands = commandWords(gatewayProgram.commands).filter((words) => {
  try {
    return commandAt(words) !== undefined;
  } catch {
    return false;
  }
});

test('no option of any command accepts an empty value', async () => {
  for (const words of commands) {
    const texts = Object.entries(commandAt(words).options).filter(([, { value }]) => value !== undefined);
    for (const [name] of texts) {
      const { code, out, err } = await runCommand([...words, `--${name}`, '']);
      expect([code, out, words, err]).toEqual([2, '', words, expect.stringContaining(`--${name}`)]);
    }
  }
});

test('an empty --host, such as from an unset shell variable, is rejected', async () => {
  expect(await runCommand(['config', 'check', '--host', '', '--master-key', ''])).toEqual({
    code: 2,
    out: '',
    err: 'Error: --host must not be empty. Remove it, or set a value: --host <host>.\nSee `gateway config check --help`.\n',
  });
});
