import { expect, test } from 'vitest';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { workplace } from './workplace.ts';

const folder = useTempFolder();

test('every command has help text', async () => {
  const { run } = workplace(folder());
  const commands = [
    'init',
    'add',
    'remove',
    'list',
    'validate',
    'import',
    'search',
    'export',
    'config',
    'completion',
  ];
  const groups = [
    'args',
    'env',
    'volumes',
    'headers',
    'tools',
    'prompts',
    'resources',
    'groups',
    'daemon',
    'export',
  ];
  for (const words of [...commands.map((word) => [word]), ...groups.map((word) => ['config', word])]) {
    const { code, out } = await run(...words, '--help');
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringContaining(`Usage: mcp-manager ${words.join(' ')}`),
    });
  }
});

test.each(['bash', 'zsh', 'fish'])('%s completion covers all commands', async (shell) => {
  const { out } = await workplace(folder()).run('completion', shell);
  expect(out).toContain('config volumes clear');
  expect(await workplace(folder()).run('completion', 'csh')).toMatchObject({
    code: 2,
    err: expect.stringContaining('Unknown shell "csh". Shells: bash, zsh, fish.'),
  });
});
