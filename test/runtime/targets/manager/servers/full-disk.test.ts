import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { namespacesWork } from '#test/helpers/namespace.ts';
import { FIXTURES, ROOT } from '#test/helpers/paths.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { runClient } from '../client/run-client.ts';

const folder = useTempFolder();

interface Started {
  readonly url: string;
  /** The small file system as this process sees it. */
  readonly disk: string;
  readonly log: () => string;
  readonly stop: () => Promise<void>;
}

/** A manager whose audit log and saved lists are in a file system of 64 KiB. */
async function startOnSmallDisk(...flags: string[]): Promise<Started> {
  const disk = join(folder(), 'disk');
  mkdirSync(disk, { recursive: true });
  const config = join(folder(), '.mcpd.toml');
  const server = (name: string) =>
    `[[servers]]\nname = "${name}"\ncommand = ${JSON.stringify(process.execPath)}\nargs = ["${join(FIXTURES, 'mcp-servers', 'echo.mjs')}"]\ntools = ["*"]\nlazy = true\n`;
  writeFileSync(config, server('echo') + server('other'));
  const main = join(ROOT, 'runtime/targets/manager/main.ts');
  const args = [
    'daemon',
    '--config-file',
    config,
    '--runtime-file',
    join(disk, 'secrets.toml'),
    '--port',
    '0',
  ];
  const words = [process.execPath, main, ...args, '--audit-log', join(disk, 'audit.jsonl'), ...flags];
  const script = 'mount -t tmpfs -o size=64k tmpfs "$0" && chmod 700 "$0" && exec "$@"';
  const child: ChildProcess = spawn('unshare', ['-rm', 'sh', '-ec', script, disk, ...words], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  onTestFinished(() => void child.kill('SIGKILL'));
  let log = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr?.on('data', (part: Buffer) => {
      log += part.toString();
      const [, found] = /"url":"(http:[^"]+)"/.exec(log) ?? /(http:\/\/127\.0\.0\.1:\d+)/.exec(log) ?? [];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', () => reject(new Error(log)));
  });
  return {
    url,
    disk: join(`/proc/${child.pid}/root`, disk),
    log: () => log,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

const call = (url: string, server = 'echo'): Promise<Response> =>
  fetch(`${url}/api/v1/servers/${server}/tools/echo`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"message":"hello"}',
  });

const fill = (disk: string): void => {
  try {
    writeFileSync(join(disk, 'fill'), Buffer.alloc(1_048_576));
  } catch {
    // The file takes all space that is left, except for the rest of the audit log's last block.
  }
};

async function callUntil(url: string, isDone: () => Promise<boolean>): Promise<number> {
  for (let calls = 1; calls < 2000; calls += 1) {
    await call(url);
    if (await isDone()) return calls;
  }
  throw new Error('the disk is not full');
}

const metric = async (url: string, name: string): Promise<number> =>
  Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(await (await fetch(`${url}/metrics`)).text())?.[1]);

const doctor = async (url: string): Promise<string> =>
  (await runClient('doctor', '--url', url, '--config-file', join(folder(), '.mcpd.toml'))).out;
const status = async (url: string): Promise<string> => (await runClient('status', '--url', url)).out;

test.runIf(namespacesWork())(
  'with a full disk, calls continue, and calls that are missing in the audit log are counted and shown',
  async () => {
    const { url, disk, log, stop } = await startOnSmallDisk();
    await call(url);
    fill(disk);
    const lost = () => metric(url, 'mcp_audit_lines_lost_total');
    await callUntil(url, async () => (await lost()) > 0);
    const before = await lost();
    for (let count = 0; count < 5; count += 1) expect((await call(url)).status).toBe(200);
    await expect.poll(lost).toBe(before + 5);
    expect(log()).toMatch(/cannot write .*audit\.jsonl, log lines are lost: .*no space left/);

    const missing = `missing calls: ${before + 5}`;
    expect(await status(url)).toContain(`Audit log: ${missing}\nAudit log: cannot be written: ENOSPC`);
    expect(await doctor(url)).toMatch(new RegExp(`problem  audit log: ${missing}\n`));
    const health = (await (await fetch(`${url}/api/v1/health/servers`)).json()) as { warnings: string[] };
    expect(health.warnings).toEqual([
      `Calls missing in the audit log: ${before + 5}.`,
      expect.stringMatching(/^The audit log cannot be written: ENOSPC/),
    ]);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);

    // The lists of a server that starts now cannot be saved, but clients get them.
    expect((await call(url, 'other')).status).toBe(200);
    await expect.poll(log).toContain('cannot save lists, which are lost when the manager stops');
    const tools = await fetch(`${url}/api/v1/servers/other/tools`);
    expect(tools.status).toBe(200);

    rmSync(join(disk, 'fill'));
    await call(url);
    await expect.poll(async () => await status(url)).not.toContain('cannot be written');
    const audit = await (await fetch(`${url}/api/v1/admin/audit`)).json();
    expect(audit).toMatchObject({ enabled: true, lost: await lost() });
    await stop();
  },
);

test.runIf(namespacesWork())(
  'with `--audit-failure reject`, a full disk rejects calls until there is space, and no line is lost',
  async () => {
    const { url, disk, stop } = await startOnSmallDisk('--audit-failure', 'reject');
    await call(url);
    fill(disk);
    let accepted = 1;
    for (let response = await call(url); response.ok; response = await call(url)) accepted += 1;
    for (let count = 0; count < 3; count += 1) {
      const response = await call(url);
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '10']);
      expect(await response.text()).toContain('calls are rejected, because the audit log cannot be written');
    }
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect((await fetch(`${url}/api/v1/servers/echo/tools`)).status).toBe(200);
    expect(await metric(url, 'mcp_audit_calls_rejected_total')).toBeGreaterThanOrEqual(4);

    rmSync(join(disk, 'fill'));
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect((await call(url)).status).toBe(200);
    accepted += 1;
    const lines = () =>
      readFileSync(join(disk, 'audit.jsonl'), 'utf8')
        .split('\n')
        .filter((line) => line.endsWith('}'));
    await expect.poll(() => lines().filter((line) => line.startsWith('{')).length).toBe(accepted);
    expect(await metric(url, 'mcp_audit_lines_lost_total')).toBe(0);
    expect(readdirSync(disk)).toContain('saved-lists');
    await stop();
  },
);
