import { expect, test } from 'vitest';
import type { Command, Program } from '#serve/cli/command.ts';
import { runProgram } from '#serve/cli/run.ts';

const say: Command = {
  summary: 'Say what was given.',
  positionals: '<word>...',
  options: { tone: { value: 'tone', help: 'How to say it', repeatable: true, choices: ['low', 'high'] } },
  run(invocation, output, program) {
    const { positionals, afterDashes } = invocation;
    const said = { program: program.name, positionals, afterDashes, tones: invocation.values('tone') };
    output.out(JSON.stringify({ ...said, place: invocation.value('place') }));
    return Promise.resolve(0);
  },
};
const PROGRAM: Program = {
  name: 'talker',
  title: 'Talks.',
  options: { place: { value: 'place', help: 'Where to talk', fallback: 'here' } },
  commands: {
    say,
    words: { summary: 'Words.', commands: { say, old: { summary: 'Old words.', commands: { say } } } },
  },
};

async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ['', ''];
  const output = { out: (text: string) => void (out += text), err: (text: string) => void (err += text) };
  const code = await runProgram(PROGRAM, args, output);
  return { code, out, err };
}

test.each([
  [['say'], ['a']],
  [['words', 'say'], ['a']],
  [['words', 'old', 'say'], ['a']],
])('%j selects the right command', async (words, positionals) => {
  const { code, out } = await run(...words, 'a');
  expect(code).toBe(0);
  expect(JSON.parse(out)).toEqual({ program: 'talker', positionals, tones: [], place: 'here' });
});

test('an option can be repeated, and each value must be one of the choices', async () => {
  const { out } = await run('say', 'a', '--tone', 'low', '--tone=high');
  expect(JSON.parse(out)).toMatchObject({ tones: ['low', 'high'] });
  const { code, err } = await run('say', 'a', '--tone', 'odd', '--tone=high');
  expect({ code, err }).toMatchObject({
    code: 2,
    err: expect.stringContaining('"odd" is not one of low, high.'),
  });
});

test('arguments after -- are passed separately', async () => {
  const { out } = await run('say', 'a', '--', '--tone', 'b');
  expect(JSON.parse(out)).toMatchObject({
    positionals: ['a', '--tone', 'b'],
    afterDashes: ['--tone', 'b'],
    tones: [],
  });
});

test('program options can precede or follow the command', async () => {
  for (const args of [
    ['--place', 'there', 'words', 'say', 'a'],
    ['--place=there', 'say', 'a'],
    ['say', 'a', '--place', 'there'],
  ]) {
    expect(JSON.parse((await run(...args)).out)).toMatchObject({ place: 'there', positionals: ['a'] });
  }
});

test('the help of a group lists its commands, however it is requested', async () => {
  const { code, out } = await run('words', '--help');
  expect(code).toBe(0);
  expect(out).toMatch(
    /^Words\.\n\nUsage: talker words <command>[^]*\n {2}say +Say what[^]*\n {2}old +Old words\./,
  );
  expect(out).toContain('--place <place>  Where to talk (default: here)');
  for (const args of [
    ['help', 'words'],
    ['words', '-h'],
    ['words', 'help'],
  ])
    expect(await run(...args)).toMatchObject({ code: 0, out });
  expect(await run('words')).toMatchObject({ code: 2, err: out, out: '' });
});

test('the help of a command lists its own options and those of the program', async () => {
  const { out } = await run('words', 'old', 'say', '--help');
  expect(out).toContain('Usage: talker words old say <word>... [options]');
  expect(out).toContain('How to say it (one of low, high; repeatable)');
  expect(out).toContain('Global options:');
  expect(await run('help', 'words', 'old', 'say')).toMatchObject({ code: 0, out });
});

test.each([
  [['sai'], 'Unknown command "sai". Did you mean `talker say`? Commands: say, words.\nSee `talker --help`.'],
  [
    ['words', 'olds'],
    'Unknown command "words olds". Did you mean `talker words old`? Commands: say, old.\nSee `talker words --help`.',
  ],
  [['zzz'], 'Unknown command "zzz". Commands: say, words.\nSee `talker --help`.'],
  [['toString'], 'Unknown command "toString". Commands: say, words.\nSee `talker --help`.'],
])('%j is an unknown command', async (args, message) => {
  expect(await run(...args)).toEqual({ code: 2, out: '', err: `Error: ${message}\n` });
});
