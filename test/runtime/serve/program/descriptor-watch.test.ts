import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const SCRIPT = fileURLToPath(new URL('./out-of-descriptors.ts', import.meta.url));

test.skipIf(process.platform === 'win32')(
  'running out of file descriptors is logged once, with a hint, and so is the recovery',
  async () => {
    const command = 'ulimit -n 64; exec "$0" "$1"';
    const child = spawn('bash', ['-c', command, process.execPath, SCRIPT], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    try {
      const lines: Record<string, unknown>[] = [];
      createInterface(child.stderr).on('line', (line) => lines.push(JSON.parse(line)));
      const said = (message: RegExp): Record<string, unknown>[] =>
        lines.filter(({ msg }) => message.test(String(msg)));
      await expect.poll(() => said(/serving/), { timeout: 20_000 }).toHaveLength(1);
      const port = Number(said(/serving/)[0]?.['port']);
      const sockets = Array.from({ length: 100 }, () => open(port));
      await expect.poll(() => said(/out of file descriptors/)).toHaveLength(1);
      expect(said(/out of file descriptors/)[0]).toMatchObject({ level: 40, limit: 64 });
      expect(said(/out of file descriptors/)[0]?.['msg']).toMatch(/`ulimit -n`.*LimitNOFILE/);
      // After several more checks, there is still only one line.
      await new Promise((resolve) => setTimeout(resolve, 500));
      for (const socket of sockets) socket.destroy();
      await expect.poll(() => said(/available again/)).toHaveLength(1);
      expect(said(/out of file descriptors/)).toHaveLength(1);
      expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('here');
    } finally {
      child.kill('SIGKILL');
      await once(child, 'close');
    }
  },
);

function open(port: number): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  return socket;
}
