import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { type Managed, openManager } from '../mcp/managed.ts';
import { serverSpec } from '../server-spec.ts';
import { CLIENT_PROGRAM, type Ran, runClient } from './run-client.ts';

const folder = useTempFolder();
let managed: Managed;
beforeAll(async () => {
  managed = await openManager({
    servers: [
      serverSpec('echo', 'echo', { env: { PAGE_SIZE: '1' } }),
      serverSpec('camel', 'camel-case-tools'),
      serverSpec('broken', 'exits-at-start'),
    ],
  });
  await Promise.all([managed.running('echo'), managed.running('camel')]);
  // Waits until the reason for its failure is known.
  await managed.running('broken').catch(() => undefined);
});
afterAll(() => managed.close());

const run = (...args: string[]): Promise<Ran> => runClient(...args, '--url', managed.origin);
const json = async (...args: string[]): Promise<unknown> =>
  JSON.parse((await run(...args, '--json')).out) as unknown;

describe('status', () => {
  test('prints a table with one line per server', async () => {
    const { code, out } = await run('status');
    const [head, broken, camel, echo] = out.split('\n');
    expect(code).toBe(0);
    expect(head).toMatch(/^SERVER +STATUS +PHASE/);
    expect(broken).toMatch(/^broken +unreachable +(waiting|starting|failed) .*no license file found/);
    expect(camel).toMatch(/^camel +(ok|unknown) +running/);
    expect(echo).toMatch(/^echo +(ok|unknown) +running/);
  });

  test("prints the manager's response as JSON", async () => {
    expect(await json('status')).toMatchObject({ version: '1.2.3', servers: [{ name: 'broken' }, {}, {}] });
  });
});

describe('tools', () => {
  test('lists the tools of one server', async () => {
    const { out } = await run('tools', 'camel');
    expect(out).toMatch(/^SERVER +TOOL +DESCRIPTION\ncamel +getWeather /);
    const full = await run('tools', 'echo', '--detail', 'full');
    expect(full.out).toContain(
      'echo add\n  Adds two numbers.\n    a (number, required)\n    b (number, required)\n',
    );
  });

  test('lists the tools of all servers, reports unreachable servers, and exits with code 1', async () => {
    const { code, out, err } = await run('tools');
    expect(code).toBe(1);
    expect(out).toMatch(/^camel +getWeather/m);
    expect(out).toMatch(/^echo +echo /m);
    expect(err).toMatch(/^Skipped a server: server not available: broken/);
  });

  test('searches tools', async () => {
    const { out } = await run('tools', '--search', 'adds numbers', '--limit', '1');
    expect(out.split('\n').slice(1)).toEqual([expect.stringMatching(/^echo +add /), '']);
  });
});

describe('call', () => {
  test.each([
    ['JSON', ['{"a": 1, "b": 2}']],
    ['pairs', ['a=1', 'b=2']],
  ])('accepts %s', async (_what, args) => {
    expect(await run('call', 'echo', 'add', ...args)).toEqual({ code: 0, out: '3\n', err: '' });
  });

  test('accepts a file and standard input', async () => {
    const file = join(folder(), 'args.json');
    writeFileSync(file, '{"message": "from a file"}');
    expect((await run('call', 'echo', 'echo', '--args-file', file)).out).toBe('from a file\n');
    const { stdout } = await execa(
      process.execPath,
      [CLIENT_PROGRAM, 'call', 'echo', 'echo', '-', '--url', managed.origin],
      { input: '{"message": "from stdin"}' },
    );
    expect(stdout).toBe('from stdin');
  });

  test('text that looks like a number stays text, and long numbers keep all digits', async () => {
    expect((await run('call', 'echo', 'echo', 'message=007')).out).toBe('007\n');
    const { out } = await run('call', 'echo', 'number', 'value=9007199254740993123');
    expect(out).toBe('{"value":9007199254740993123}\n');
  });

  test('prints the full result with --json', async () => {
    const { out } = await run('call', 'echo', 'structured', '--json');
    expect(JSON.parse(out)).toEqual({ content: [], structuredContent: { city: 'Oslo', degrees: 3.5 } });
  });

  test('exits with code 1 and prints the reason to stderr if the tool fails', async () => {
    const failed = await run('call', 'echo', 'is-error', 'message=Too bad.');
    expect(failed).toEqual({ code: 1, out: '', err: 'Too bad.\n' });
  });

  test.each([
    [['call'], 'Missing argument: <server>.'],
    [['call', 'echo'], 'Missing argument: <tool>.'],
    [['call', 'echo', 'add', '[1]'], 'must be a JSON object'],
    [['call', 'echo', 'add', 'a=one'], 'a: "one" is not valid JSON of type number'],
    [['call', 'echo', 'add', 'a=1', 'two'], '"two" must have the form key=value'],
  ])('%j is an invalid command line', async (args, message) => {
    const { code, err } = await run(...args);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });

  test("exits with code 1 and prints the manager's error for unknown items", async () => {
    const { code, err } = await run('call', 'echo', 'nothing');
    expect([code, err]).toEqual([1, 'Error: tool not found: echo/nothing\n']);
  });
});

describe('prompts and resources', () => {
  test('prompts and resources are listed across all pages', async () => {
    const prompts = await run('prompts', 'echo');
    expect(prompts.out).toMatch(/^greet +name +Greets someone\.\nplain .*\nPicture +\[of\]/m);
    const resources = await run('resources', 'echo');
    expect(resources.out).toMatch(
      /^memo:\/\/one .*\nmemo:\/\/blob .*\nmemo:\/\/empty .*\nmemo:\/\/\{name\}/m,
    );
  });

  test('prompts and resources are searched across all servers', async () => {
    const prompts = await run('prompts', '--search', 'greets', '--limit', '1');
    expect(prompts.out).toMatch(/^SERVER +PROMPT +ARGUMENTS +DESCRIPTION\necho +greet +name +Greets/);
    const resources = await run('resources', '--search', 'memo');
    expect(resources.out).toMatch(/^SERVER +URI .*\n(?:.*\n)*echo +memo:\/\/one /);
    expect(await json('resources', '--search', 'memo one', '--limit', '1')).toMatchObject([
      { server: 'echo' },
    ]);
    expect((await run('prompts')).err).toContain('<server>');
    expect((await run('prompts', 'echo', '--search', 'x')).err).toContain('conflicts with <server>');
  });

  test('prompts are rendered and resources are read', async () => {
    expect((await run('prompt', 'echo', 'greet', 'name=Ada')).out).toBe('user: greet {"name":"Ada"}\n');
    expect((await run('read', 'echo', 'memo://one')).out).toBe('The first memo.\n');
    expect((await run('read', 'echo', 'memo://blob')).out).toBe('AAEC\n');
  });
});

describe('logs', () => {
  test('prints the last lines', async () => {
    await run('call', 'echo', 'log', 'text=a line of log');
    const { out } = await run('logs', 'echo', '-n', '1');
    expect(out).toMatch(/^\d{4}-.*Z {2}server {3}a line of log\n$/);
    expect((await run('logs', 'nobody')).err).toBe('Error: server not found: nobody\n');
  });

  test('with -f, prints new lines until the process is stopped', async () => {
    const following = execa(process.execPath, [
      CLIENT_PROGRAM,
      'logs',
      'echo',
      '-f',
      '-n',
      '0',
      '--url',
      managed.origin,
    ]);
    const lines = following.iterable();
    const next = lines[Symbol.asyncIterator]();
    const first = next.next();
    // No line arrives before it is listening.
    const speaking = new AbortController();
    const speak = async (): Promise<void> => {
      while (!speaking.signal.aborted) await run('call', 'echo', 'log', 'text=heard');
    };
    const spoken = speak();
    expect((await first).value).toMatch(/server {3}heard$/);
    speaking.abort();
    await spoken;
    following.kill('SIGINT');
    await expect(following).resolves.toMatchObject({ exitCode: 0 });
  });
});

test('restart restarts a server', async () => {
  const before = managed.server('camel').status().pid;
  const { code, out } = await run('restart', 'camel');
  const { pid } = managed.server('camel').status();
  expect([code, out]).toEqual([0, `camel is running (PID ${pid}).\n`]);
  expect(pid).not.toBe(before);
});

test('reload reports the changes', async () => {
  expect((await run('reload')).out).toBe('No changes.\n');
});

describe('without a running manager', () => {
  test('the error is a single sentence that contains the address and a fix', async () => {
    const { code, err } = await runClient('status', '--url', '127.0.0.1:1');
    expect(code).toBe(1);
    expect(err).toBe(
      'Error: No manager is running at http://127.0.0.1:1. Start one with `mcp-manager daemon`, or set its address with --url.\n',
    );
  });

  test('the address is taken from the configuration', async () => {
    const file = join(folder(), '.mcpd.toml');
    writeFileSync(file, 'servers = []\n[daemon.api]\naddr = "0.0.0.0:1"\n');
    const { err } = await runClient('status', '--config-file', file);
    expect(err).toContain('at http://127.0.0.1:1.');
  });

  test('the error explains that a different server responds at the address', async () => {
    const other = createServer((_request, response) => void response.end('<html>')).listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { err } = await runClient('status', '--url', `127.0.0.1:${(other.address() as AddressInfo).port}`);
    expect(err).toContain('is not an mcp-manager');
    other.close();
  });
});
