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
  'for $name, the first run of every command uses an executable',
  (program) => {
    const isFirst = firstOfEach(program);
    const all = namesOf(program.commands);
    expect(all.length).toBeGreaterThan(5);
    expect(all.filter((args) => isFirst(args))).toEqual(all);
    expect(all.map((args) => [...args, '--json']).filter((args) => isFirst(args))).toEqual([]);
  },
);

test('only the first help request and the first usage error use an executable', () => {
  const isFirst = firstOfEach(gatewayProgram);
  const help = [['--help'], ['help'], ['keys'], ['keys', '--help'], ['keys', 'list', '--help']];
  expect(help.filter((args) => isFirst(args))).toEqual([['--help']]);
  expect([['kyes'], ['keys', 'lst']].filter((args) => isFirst(args))).toEqual([['kyes']]);
});
