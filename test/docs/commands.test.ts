import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { builtCli, builtExecutable, builtProgram } from '../helpers/built.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { shellBlocksOf } from './commands/blocks.ts';
import { isOutputOf } from './commands/compare.ts';
import { isServer, runSession } from './commands/run-session.ts';
import { SESSIONS } from './commands/sessions.ts';
import { sessionOf } from './commands/table.ts';

const root = useTempFolder();

/** An experiment takes a minute on a busy machine. */
const TIMEOUT = { timeout: 300_000 };

test.each(SESSIONS)('commands of $page, %#, print what the page shows', TIMEOUT, async (session) => {
  const { before = [], folder = 'demo', models = [], omitted = [], prepare, env = {} } = session;
  const shownFolder = session.shownFolder ?? `/home/me/${folder}`;
  const place = join(root(), 'home', folder);
  mkdirSync(place, { recursive: true });
  symlinkSync(builtProgram('gateway'), join(place, 'gateway'));
  for (const model of models) symlinkSync(builtExecutable(model), join(place, `${model}.encoder`));
  prepare?.(place);
  const commands = shellBlocksOf(session.page)
    .filter((block) => sessionOf(block) === session)
    .flatMap((block) => block.commands)
    .filter(({ command }) => !omitted.some(([start]) => command.startsWith(start)));
  expect(commands.length).toBeGreaterThan(0);
  const programs = {
    encoderfile: builtCli(),
    'mcp-manager': builtProgram('manager'),
    gateway: builtProgram('gateway'),
  };
  const surroundings = { root: root(), folder, programs, env };
  const outputs = (await runSession(surroundings, [...before, ...commands])).slice(before.length);
  const differences = commands.flatMap(({ command, output }, index) => {
    const shown = isServer(command) ? `${output}…` : output;
    const actual = (outputs[index] ?? '').replaceAll(`/home/me/${folder}`, shownFolder);
    return isOutputOf(actual, shown) ? [] : [`$ ${command}\n${actual}\nbut the page shows\n${output}\n`];
  });
  expect(differences.join('\n')).toBe('');
});
