import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findCommandFile, spawnable } from '#platform/command-file.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';

const folder = useTempFolder();
const IS_WINDOWS = true;
const SHELL_ARGUMENTS = ['/q', '/e:on', '/v:off', '/d', '/s', '/c'];

/** Writes executable files, and returns their folder. */
function withFiles(...names: string[]): string {
  const place = join(folder(), 'programs');
  mkdirSync(place, { recursive: true });
  for (const name of names) {
    writeFileSync(join(place, name), '');
    chmodSync(join(place, name), 0o700);
  }
  return place;
}

test('Windows finds programs and batch files by the extensions that it starts, in the folders of Path', () => {
  const place = withFiles('npx', 'npx.cmd', 'uvx.exe', 'uvx.cmd', 'tool.v1.bat');
  const env = { Path: `;"${place}"` };
  const find = (command: string): string | undefined => findCommandFile({ command, env }, IS_WINDOWS);
  // npm also installs a shell script without an extension.
  expect(find('npx')).toBe(join(place, 'npx.cmd'));
  expect(find('uvx')).toBe(join(place, 'uvx.exe'));
  expect(find('uvx.cmd')).toBe(join(place, 'uvx.cmd'));
  expect(find('tool.v1')).toBe(join(place, 'tool.v1.bat'));
  expect(find('none')).toBeUndefined();
  expect(findCommandFile({ command: './npx', env: {}, cwd: place }, IS_WINDOWS)).toBe(join(place, 'npx.cmd'));
});

test('other systems start the file with the name of the command', () => {
  const place = withFiles('npx', 'npx.cmd');
  const lookup = { command: 'npx', env: { PATH: place } };
  expect(findCommandFile(lookup, false)).toBe(join(place, 'npx'));
  expect(spawnable(lookup, ['a b'], false)).toEqual({ file: 'npx', args: ['a b'] });
});

test('programs get their arguments as they are, batch files get them through cmd.exe', () => {
  const place = withFiles('uvx.exe', 'npx.cmd');
  const env = { PATH: place, SystemRoot: 'S:' };
  expect(spawnable({ command: 'uvx', env }, ['a"b'], IS_WINDOWS)).toEqual({
    file: join(place, 'uvx.exe'),
    args: ['a"b'],
  });
  const { file, args, windowsVerbatimArguments } = spawnable(
    { command: 'npx', env },
    ['-y', 'a'],
    IS_WINDOWS,
  );
  expect(file).toMatch(/^S:.System32.cmd\.exe$/);
  expect(args).toEqual([...SHELL_ARGUMENTS, `""${join(place, 'npx.cmd')}" "-y" "a""`]);
  expect(windowsVerbatimArguments).toBe(true);
});

test.each([
  ['a & calc', '"a & calc"'],
  // The number of quotation marks stays even, so that cmd.exe sees no command after them.
  ['a" & calc & "', '"a"" & calc & """'],
  ['%PATH%', '"%%cd:~,%PATH%%cd:~,%"'],
  [String.raw`C:\a\ `.trimEnd(), String.raw`"C:\a\\"`],
  [String.raw`\"`, String.raw`"\\"""`],
  ['', '""'],
])('the argument %j is quoted for a batch file', (arg, quoted) => {
  const place = withFiles('npx.cmd');
  const { args } = spawnable({ command: 'npx', env: { PATH: place } }, [arg], IS_WINDOWS);
  expect(args.at(-1)).toBe(`""${join(place, 'npx.cmd')}" ${quoted}"`);
});

test('a batch file gets no line breaks, which would end its command line', () => {
  const lookup = { command: 'npx', env: { PATH: withFiles('npx.cmd') } };
  expect(() => spawnable(lookup, ['a\r\ncalc'], IS_WINDOWS)).toThrow(
    'Cannot start `npx`: it is a batch file, and an argument contains a line break',
  );
});

test('a command that does not exist is left to the system, whose error names it', () => {
  const lookup = { command: 'none', env: {} };
  expect(spawnable(lookup, ['a'], IS_WINDOWS)).toEqual({ file: 'none', args: ['a'] });
});
