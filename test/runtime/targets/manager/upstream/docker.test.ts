import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { resolve } from '../config/resolve.ts';
import { openRecorded, type Recorded } from './open-recorded.ts';
import { isAlive } from './processes.ts';
import { fixtureServer } from './spec.ts';

// Docker is not required: a program that accepts the same arguments is on the PATH under its name.
const temp = useTempFolder();
beforeEach(() => {
  for (const folder of ['bin', 'docker', 'notes']) mkdirSync(join(temp(), folder));
  const script = `#!/bin/sh\nexec '${process.execPath}' '${fixtureServer('docker.mjs')}' "$@"\n`;
  writeFileSync(join(temp(), 'bin/docker'), script, { mode: 0o755 });
  writeFileSync(join(temp(), 'notes/one.txt'), 'a note');
});

function open(servers: string, secrets?: string): Promise<Recorded> {
  const env = {
    PATH: [join(temp(), 'bin'), process.env['PATH']].join(delimiter),
    DOCKER_CONFIG: join(temp(), 'docker'),
    HOME: temp(),
    MANAGERS_OWN: 'nobody else’s',
  };
  const { servers: specs } = resolve({ servers, env, ...(secrets === undefined ? {} : { secrets }) });
  const [spec] = specs;
  if (!spec) throw new Error('no server');
  return openRecorded({
    ...spec,
    timeouts: { install: 20_000, init: 20_000, request: 20_000, shutdown: 2000 },
  });
}

const server = (image: string, more = ''): string =>
  `[[servers]]\nname = "box"\npackage = "docker::fixtures/${image}"\ntools = ["*"]\n${more}`;
const asked = (): string[][] =>
  readFileSync(join(temp(), 'docker/asked.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as string[]);
/** Names of the containers that docker lists. */
const containers = (): string[] =>
  readdirSync(join(temp(), 'docker')).filter((name) => name.startsWith('mcp-manager-'));
const pidIn = (container: string | undefined): number =>
  Number(readFileSync(join(temp(), 'docker', container ?? ''), 'utf8'));

test("docker receives only the server's arguments, variables and volumes", async () => {
  const { text, connection } = await open(
    server(
      'echo@1.0',
      'args = ["--root", "workspace"]\n[servers.env]\nREGION = "north"\n[servers.volumes.notes]\npath = "/workspace"\n',
    ),
    `[servers.box]\nargs = ["--token=hush"]\n[servers.box.env]\nTOKEN = "pa$$word"\n[servers.box.volumes]\nnotes = "\${HOME}/notes"\n`,
  );
  const { args, cwd } = JSON.parse(await text('process')) as { args: string[]; cwd: string };
  expect(args).toEqual(['--root', 'workspace', '--token=hush']);
  expect(readFileSync(join(cwd, 'workspace/one.txt'), 'utf8')).toBe('a note');
  expect(JSON.parse(await text('env'))).toEqual({ REGION: 'north', TOKEN: 'pa$word' });
  const [run = []] = asked();
  const [name] = run.splice(2, 1);
  expect(name).toMatch(/^mcp-manager-box-[\w-]{36}$/);
  const flags = `run --name -i --rm --network host --volume ${temp()}/notes:/workspace -e REGION -e TOKEN`;
  expect(run.join(' ')).toBe(`${flags} fixtures/echo:1.0 --root workspace --token=hush`);
  await connection.close();
});

test('a container exits when its stdin closes, without further docker commands', async () => {
  const { connection } = await open(server('echo@1.0'));
  const pid = pidIn(containers()[0]);
  expect(isAlive(pid)).toBe(true);
  await connection.close();
  expect(isAlive(pid)).toBe(false);
  expect(containers()).toEqual([]);
  expect(asked()).toHaveLength(1);
});

test('a container that ignores a closed stdin and SIGTERM is removed', async () => {
  const { connection, logs } = await open(server('ignores-sigterm@1.0'));
  const [name] = containers();
  const pid = pidIn(name);
  await connection.close();
  expect(logs).toContain('ignored SIGTERM');
  expect(asked().at(-1)).toEqual(['rm', '--force', name]);
  await expect.poll(() => isAlive(pid)).toBe(false);
  expect(containers()).toEqual([]);
});

test('if the docker client is killed, its container is removed before the exit is reported', async () => {
  const { connection } = await open(server('ignores-sigterm@1.0'));
  const pid = pidIn(containers()[0]);
  process.kill(connection.pid as number, 'SIGKILL');
  expect((await connection.closed).message).toContain('signal SIGKILL');
  await expect.poll(() => isAlive(pid)).toBe(false);
  expect(containers()).toEqual([]);
});

test('container names are unique, so that a new container can start before the old one exits', async () => {
  const [one, two] = [await open(server('echo@1.0')), await open(server('echo@1.0'))];
  expect(new Set(containers()).size).toBe(2);
  await Promise.all([one.connection.close(), two.connection.close()]);
});

test("docker's error is reported if the image does not exist", async () => {
  await expect(open(server('missing@2.0'))).rejects.toThrow(
    "code 125. It wrote: docker: Unable to find image 'fixtures/missing:2.0'.",
  );
  expect(existsSync(join(temp(), 'docker/asked.jsonl'))).toBe(true);
});
