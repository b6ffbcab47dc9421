import { expect, test } from 'vitest';
import { encoderProgram } from '#encoder/program.ts';
import { gatewayProgram } from '#gateway/program.ts';
import { managerProgram } from '#manager/program.ts';
import { type Commands, isGroup } from '#serve/cli/command.ts';
import { firstOfEach } from './command-arms.ts';

const namesOf = (commands: Commands): string[][] =>
  Object.entries(commands).flatMap(([name, entry]) =>
    isGroup(entry) ? namesOf(entry.commands).map((words) => [name, ...words]) : [[name]],
  );

test.each([encoderProgram('', 'model'), gatewayProgram, managerProgram])(
  'every command of $name runs once as an executable',
  (program) => {
    const isFirst = firstOfEach(program);
    const all = namesOf(program.commands);
    expect(all.length).toBeGreaterThan(5);
    expect(all.filter((args) => isFirst(args))).toEqual(all);
    expect(all.map((args) => [...args, '--json']).filter((args) => isFirst(args))).toEqual([]);
  },
);

test('help and usage errors are tested once with an executable', () => {
  const isFirst = firstOfEach(gatewayProgram);
  const help = [['--help'], ['help'], ['keys'], ['keys', '--help'], ['keys', 'list', '--help']];
  expect(help.filter((args) => isFirst(args))).toEqual([['--help']]);
  expect([['kyes'], ['keys', 'lst']].filter((args) => isFirst(args))).toEqual([['kyes']]);
});
