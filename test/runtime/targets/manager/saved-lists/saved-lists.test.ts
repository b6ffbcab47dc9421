import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { execa, execaSync } from 'execa';
import { beforeEach, expect, test } from 'vitest';
import { parseLossless } from '#core/json/lossless-json.ts';
import { openSavedLists, type SavedLists } from '#manager/saved-lists/saved-lists.ts';
import type { SavedCopy } from '#manager/saved-lists/saved-copy.ts';
import { inNamespace, namespacesWork } from '#test/helpers/namespace.ts';
import { ROOT } from '#test/helpers/paths.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { testKernel } from '#test/helpers/test-kernel.ts';

const temp = useTempFolder();
const IDENTITY = 'ab'.repeat(32);
const peer = { protocolVersion: '2025-11-25', name: 'x', version: '1', capabilities: {} };
const copyOf = (items: readonly unknown[]): SavedCopy => ({
  identity: IDENTITY,
  peer,
  lists: { tools: { items: [...items], faults: [], listedAt: 1 } },
});
let folder: string;
let logged: readonly Record<string, unknown>[];
let saved: SavedLists;
const reopen = (): void => {
  const kernel = testKernel();
  logged = kernel.logged;
  saved = openSavedLists(folder, kernel.log);
};
const messages = () => logged.map(({ msg }) => msg);
const path = (): string => join(folder, `${IDENTITY}.json`);
beforeEach(() => {
  folder = join(temp(), 'state', 'saved-lists');
  reopen();
});

test('saved lists are returned for the same identity only, and numbers stay exact', async () => {
  const items = parseLossless('[{"name":"one","maximum":12345678901234567890}]') as unknown[];
  expect(await saved.load('x', IDENTITY)).toBeUndefined();
  await saved.save('x', copyOf(items));
  reopen();
  const loaded = await saved.load('x', IDENTITY);
  expect(JSON.stringify(loaded?.lists.tools?.items)).toBe(JSON.stringify(items));
  expect(await saved.load('x', 'cd'.repeat(32))).toBeUndefined();
  expect(messages()).toEqual([]);
});

const DAMAGED: readonly (readonly [why: string, damage: () => void, message: RegExp])[] = [
  ['a truncated file', () => writeFileSync(path(), '{"identity":"ab'), /the file is damaged$/],
  ['an empty file', () => writeFileSync(path(), ''), /the file is damaged$/],
  [
    'bytes that are not text',
    () => writeFileSync(path(), Buffer.from([0xff, 0xfe, 0, 1])),
    /the file is damaged$/,
  ],
  ['other JSON', () => writeFileSync(path(), '{"identity":1,"lists":[]}'), /the file is damaged$/],
  ['deeply nested JSON', () => writeFileSync(path(), '['.repeat(2_000_000)), /the file is damaged$/],
  [
    'the file of another server',
    () => writeFileSync(path(), JSON.stringify({ ...copyOf([]), identity: 'cd'.repeat(32) })),
    /the file is damaged$/,
  ],
  ['a huge file', () => writeFileSync(path(), Buffer.alloc(17 * 1_048_576)), /the file is too large$/],
  [
    'a link to another file',
    () => {
      writeFileSync(join(temp(), 'other'), JSON.stringify(copyOf([{ name: 'evil' }])));
      rmSync(path());
      symlinkSync(join(temp(), 'other'), path());
    },
    /ELOOP|symbolic/,
  ],
  [
    'a named pipe',
    () => {
      rmSync(path());
      execaSync('sh', ['-c', 'mkfifo "$0"', path()]);
    },
    /it is not a regular file$/,
  ],
  ['a file that others can write to', () => chmodSync(path(), 0o666), /other users can write to it$/],
];

test.each(DAMAGED)('%s is logged once, counts as missing, and is replaced', async (_why, damage, message) => {
  await saved.save('x', copyOf([{ name: 'one' }]));
  damage();
  reopen();
  expect(await saved.load('x', IDENTITY)).toBeUndefined();
  expect(messages()).toEqual([
    expect.stringMatching(/^saved lists are ignored, and will be read from the server again: /),
  ]);
  expect(messages()[0]).toMatch(message);
  await saved.save('x', copyOf([{ name: 'two' }]));
  reopen();
  expect((await saved.load('x', IDENTITY))?.lists.tools?.items).toEqual([{ name: 'two' }]);
  const { mode } = statSync(path());
  expect(mode & 0o777).toBe(0o600);
  expect(messages()).toEqual([]);
});

test.runIf(process.getuid?.() === 0)('files and folders of another user are not used', async () => {
  await saved.save('x', copyOf([]));
  chownSync(path(), 12_345, 12_345);
  reopen();
  expect(await saved.load('x', IDENTITY)).toBeUndefined();
  expect(messages()).toEqual([expect.stringMatching(/it belongs to another user$/)]);
  await saved.save('x', copyOf([]));
  chownSync(folder, 12_345, 12_345);
  reopen();
  expect(await saved.load('x', IDENTITY)).toBeUndefined();
  expect(await saved.load('y', IDENTITY)).toBeUndefined();
  await saved.save('x', copyOf([]));
  await saved.save('y', copyOf([]));
  expect(messages()).toEqual([
    expect.stringMatching(/^saved lists are ignored: .*belongs to another user$/),
    expect.stringMatching(/^cannot save lists, which are lost when the manager stops: .*another user$/),
  ]);
});

test('a folder that cannot be created is logged once, until saving succeeds again', async () => {
  mkdirSync(join(temp(), 'state'));
  writeFileSync(folder, 'a file');
  await saved.save('x', copyOf([]));
  await saved.save('y', copyOf([]));
  expect(messages()).toEqual([expect.stringMatching(/^cannot save lists, which are lost/)]);
  rmSync(folder);
  await saved.save('x', copyOf([]));
  expect(await saved.load('x', IDENTITY)).toBeDefined();
  rmSync(folder, { recursive: true });
  writeFileSync(folder, 'a file');
  await saved.save('x', copyOf([]));
  expect(messages()).toHaveLength(2);
});

test('lists that are too large are not saved', async () => {
  await saved.save('x', copyOf([{ name: 'x'.repeat(17 * 1_048_576) }]));
  expect(messages()).toEqual([expect.stringMatching(/the lists are larger than 16 MiB$/)]);
  expect(await saved.load('x', IDENTITY)).toBeUndefined();
});

test('files that no manager used for a month are deleted, and those in use become younger', async () => {
  await saved.save('x', copyOf([]));
  await saved.save('y', { ...copyOf([]), identity: 'cd'.repeat(32) });
  const old = (days: number, name: string): void => {
    const at = new Date(Date.now() - days * 86_400_000);
    utimesSync(join(folder, name), at, at);
  };
  writeFileSync(join(folder, '.encoderfile-0123456789ab-01234567-1-0123456789ab.tmp'), 'left behind');
  writeFileSync(join(folder, 'notes.txt'), 'not ours');
  old(29, `${IDENTITY}.json`);
  old(31, `${'cd'.repeat(32)}.json`);
  old(2, '.encoderfile-0123456789ab-01234567-1-0123456789ab.tmp');
  old(400, 'notes.txt');
  reopen();
  expect(await saved.load('x', IDENTITY)).toBeDefined();
  expect(readdirSync(folder).sort()).toEqual([`${IDENTITY}.json`, 'notes.txt']);
  expect(Date.now() - statSync(path()).mtimeMs).toBeLessThan(60_000);
});

const WRITER = join(import.meta.dirname, 'save-lists-process.ts');
const writer = (label: string) =>
  execa(process.execPath, [WRITER, folder, IDENTITY, label], { cwd: ROOT, reject: false });

test('a file is complete after each kill -9 during a write, and killed managers leave nothing behind', async () => {
  for (let round = 0; round < 10; round += 1) {
    const process = writer(`w${round}`);
    await process.iterable()[Symbol.asyncIterator]().next();
    await new Promise((resolve) => setTimeout(resolve, 20 + round * 13));
    process.kill('SIGKILL');
    await process;
    reopen();
    await saved.load('x', IDENTITY);
    expect(messages()).toEqual([]);
  }
  expect(await saved.load('x', IDENTITY)).toBeDefined();
  await saved.save('x', copyOf([]));
  expect(readdirSync(folder)).toEqual([`${IDENTITY}.json`]);
});

test('two managers can save to one folder at the same time: each read returns the lists of one of them', async () => {
  const writers = [writer('a'), writer('b')];
  await Promise.all(writers.map((one) => one.iterable()[Symbol.asyncIterator]().next()));
  const names = new Set<string>();
  for (let round = 0; round < 200 || names.size < 2; round += 1) {
    reopen();
    const copy = await saved.load('x', IDENTITY);
    expect(messages()).toEqual([]);
    if (!copy) continue;
    names.add(copy.peer.name);
    const owners = new Set(copy.lists.tools?.items.map((item) => (item as { name: string }).name[0]));
    expect([...owners].every((owner) => owner === copy.peer.name)).toBe(true);
  }
  expect([...names].sort()).toEqual(['a', 'b']);
  for (const one of writers) one.kill('SIGTERM');
  await Promise.all(writers);
});

test.runIf(namespacesWork())(
  'a full disk is logged, and the file of the last save stays complete',
  async () => {
    const script = (then: string): string =>
      `mkdir -p ${folder}; mount -t tmpfs -o size=96k tmpfs ${folder}; chmod 700 ${folder}
${process.execPath} ${WRITER} ${folder} ${IDENTITY} full 14 2>&1; ${then}`;
    const parse = `${process.execPath} -e 'JSON.parse(fs.readFileSync(process.argv[1], "utf8"))' ${path()}`;
    const { stdout, exitCode } = await inNamespace(script(`ls -A ${folder}; ${parse}`));
    expect(stdout).toMatch(/cannot save lists, which are lost when the manager stops: .*the disk is full/);
    expect(stdout.trim().endsWith(`\n${IDENTITY}.json`)).toBe(true);
    expect(exitCode).toBe(0);
  },
);
