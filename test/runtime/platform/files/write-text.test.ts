import { spawnSync } from 'node:child_process';
import {
  chownSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryPath } from '#platform/files/temporary.ts';
import { writeText } from '#platform/files/write-text.ts';
import { useTempFolder } from '../../../helpers/temp-folder.ts';

const folder = useTempFolder();
const path = (name: string): string => join(folder(), name);
const modeOf = (file: string): string => (statSync(file).mode & 0o7777).toString(8);

test('a new file has the requested mode, or the default of the umask', async () => {
  await writeText(path('plain'), 'x');
  await writeText(path('secret'), 'x', { mode: 0o600 });
  expect(modeOf(path('plain'))).toBe((0o666 & ~process.umask()).toString(8));
  expect(modeOf(path('secret'))).toBe('600');
  expect(readdirSync(folder())).toEqual(['plain', 'secret']);
});

test('an existing file keeps its mode, and an executable stays executable', async () => {
  writeFileSync(path('f'), 'old', { mode: 0o640 });
  await writeText(path('f'), 'new');
  expect([readFileSync(path('f'), 'utf8'), modeOf(path('f'))]).toEqual(['new', '640']);
  await writeText(path('f'), 'new', { isProgram: true });
  expect(modeOf(path('f'))).toBe('750');
});

test.runIf(process.getuid?.() === 0)('an existing file keeps its owner', async () => {
  writeFileSync(path('f'), 'old');
  chownSync(path('f'), 65_534, 65_533);
  await writeText(path('f'), 'new');
  const { uid, gid } = statSync(path('f'));
  expect([readFileSync(path('f'), 'utf8'), uid, gid]).toEqual(['new', 65_534, 65_533]);
});

test('a symbolic link is kept, even if its target does not exist yet', async () => {
  mkdirSync(path('deep'));
  writeFileSync(path('deep/real'), 'old');
  symlinkSync('deep/real', path('link'));
  symlinkSync('link', path('second'));
  symlinkSync('deep/new', path('dangling'));
  await writeText(path('second'), 'through');
  await writeText(path('dangling'), 'made');
  expect(['link', 'second', 'dangling'].map((name) => lstatSync(path(name)).isSymbolicLink())).toEqual([
    true,
    true,
    true,
  ]);
  expect(readFileSync(path('deep/real'), 'utf8')).toBe('through');
  expect(readFileSync(path('deep/new'), 'utf8')).toBe('made');
});

test.runIf(process.platform === 'linux')(
  'text is written to a named pipe, which is not replaced',
  async () => {
    const pipe = path('pipe');
    expect(spawnSync('sh', ['-c', 'mkfifo "$0"', pipe]).status).toBe(0);
    // Opened for reading and writing, so that neither side waits for the other.
    const reader = openSync(pipe, 'r+');
    try {
      await writeText(pipe, 'through the pipe');
      const bytes = Buffer.alloc(16);
      const { readSync } = await import('node:fs');
      expect(readSync(reader, bytes)).toBe(16);
      expect(bytes.toString()).toBe('through the pipe');
    } finally {
      closeSync(reader);
    }
    expect(lstatSync(pipe).isFIFO()).toBe(true);
  },
);

test.runIf(process.platform === 'linux')(
  'a file descriptor of this process is written at its current position',
  async () => {
    const fd = openSync(path('log'), 'w');
    try {
      await writeText(`/dev/fd/${fd}`, 'one ');
      symlinkSync(`/proc/self/fd/${fd}`, path('link'));
      await writeText(path('link'), 'two');
    } finally {
      closeSync(fd);
    }
    expect(readFileSync(path('log'), 'utf8')).toBe('one two');
  },
);

test('a folder, and a file as a parent folder, cause one-sentence errors', async () => {
  mkdirSync(path('d'));
  writeFileSync(path('f'), '');
  await expect(writeText(path('d'), 'x')).rejects.toThrow(
    `Cannot write ${path('d')}: it is a folder. Pass a file in it.`,
  );
  await expect(writeText(path('f/x'), 'x')).rejects.toThrow(
    /^Cannot write .*one of its parent folders is a file/,
  );
});

test('temporary files of exited processes are removed, even if a process ID was reused', async () => {
  const { pid: gone } = spawnSync(process.execPath, ['--version']);
  const own = temporaryPath(path('f'));
  const leave = (file: string, seconds: number): string => {
    writeFileSync(file, '');
    utimesSync(file, seconds, seconds);
    return file;
  };
  const now = Date.now() / 1000;
  const earlier = leave(own, performance.timeOrigin / 1000 - 10);
  const killed = leave(own.replace(`-${process.pid}-`, `-${gone}-`), now);
  const ours = leave(temporaryPath(path('f')), now);
  const machine = basename(own).split('-')[2] ?? '';
  const elsewhere = leave(own.replace(`-${machine}-`, '-00000000-'), now);
  const elsewhereOld = leave(own.replace(`-${machine}-`, '-00000001-'), now - 2 * 86_400);
  const otherFile = leave(temporaryPath(path('g')).replace(`-${process.pid}-`, `-${gone}-`), now);
  await writeText(path('f'), 'x');
  expect([earlier, killed, elsewhereOld].map((file) => existsSync(file))).toEqual([false, false, false]);
  expect([ours, elsewhere, otherFile].map((file) => existsSync(file))).toEqual([true, true, true]);
  expect(await readFile(path('f'), 'utf8')).toBe('x');
});
