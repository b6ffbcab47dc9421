import { expect, test } from 'vitest';
import type { Command, Program } from '../../../../runtime/serve/cli/command.ts';
import { completionScript } from '../../../../runtime/serve/cli/completion-scripts.ts';
import { runProcess } from '../../../helpers/run-process.ts';

const list: Command = {
  summary: 'List.',
  options: {
    format: { value: 'format', help: '', choices: ['text', 'json'] },
    file: { value: 'file', help: '' },
  },
  run: () => Promise.resolve(0),
};
const PROGRAM: Program = {
  name: 'talk-er',
  title: '',
  options: { place: { value: 'place', help: '' } },
  commands: { list, words: { summary: 'Words.', commands: { list, say: { ...list, options: {} } } } },
};

/** What bash offers for the last word of a line. */
async function offered(...words: string[]): Promise<string[]> {
  const script = `${completionScript('bash', PROGRAM)}
COMP_WORDS=(talk-er ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}
_talk_er; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = await runProcess('bash', ['-c', script]);
  expect(stderr).toBe('');
  return stdout.split('\n').filter((line) => line !== '');
}

test.each([
  [[''], ['list', 'words']],
  [['w'], ['words']],
  [
    ['words', ''],
    ['list', 'say'],
  ],
  [['words', 's'], ['say']],
  [
    ['list', '--f'],
    ['--format', '--file'],
  ],
  [
    ['words', 'list', '--'],
    ['--place', '--format', '--file', '--help'],
  ],
  [
    ['words', 'list', '--format', ''],
    ['text', 'json'],
  ],
  [
    ['--place', 'x', 'words', ''],
    ['list', 'say'],
  ],
  [['list', ''], []],
])('bash offers for %j: %j', async (words, expected) => {
  expect(await offered(...words)).toEqual(expected);
});

test('zsh and fish get the same words', () => {
  for (const shell of ['zsh', 'fish'] as const) {
    const script = completionScript(shell, PROGRAM);
    expect(script).toContain(`made by \`talk-er completion ${shell}\``);
    expect(script).toContain("' words say'");
    expect(script).toContain('list say');
    expect(script).toContain('text json');
  }
});

test('an executable with any name is completed', async () => {
  const { stdout, stderr } = await runProcess('bash', [
    '-c',
    `${completionScript('bash', { ...PROGRAM, name: "my model's.encoder" })}\ncomplete -p`,
  ]);
  expect(stderr).toBe('');
  expect(stdout).toContain('-F _my_model_s_encoder');
});
