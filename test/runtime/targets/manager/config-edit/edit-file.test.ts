import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createServers, editSecrets, editServers } from '#manager/config-edit/config-editor.ts';
import { editFile } from '#manager/config-edit/edit-file.ts';
import { setSecret } from '#manager/config-edit/secrets-text.ts';
import { removeServer, setServerKey } from '#manager/config-edit/servers-text.ts';
import { startLockHolder } from '#test/helpers/lock-holder.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';

const folder = useTempFolder();
const paths = () => ({
  config: join(folder(), '.mcpd.toml'),
  runtime: join(folder(), 'deep', 'mcpd', 'secrets.toml'),
});
const ONE = '[[servers]]\nname = "a"\ncommand = "x"\ntools = ["*"]\n';
const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
const ANYTHING = { check: () => [], folderMode: 0o700 };

test('a new secrets file and its folder are private to the owner', async () => {
  expect(await editSecrets(paths(), (text) => setSecret(text, 'a', ['env', 'K'], 'v'))).toBe(true);
  expect(modeOf(paths().runtime)).toBe('600');
  expect(modeOf(join(folder(), 'deep', 'mcpd'))).toBe('700');
  expect(readdirSync(join(folder(), 'deep', 'mcpd'))).toEqual(['secrets.toml']);
});

test('an existing file keeps its mode, and a symbolic link is kept', async () => {
  mkdirSync(join(folder(), 'real'));
  const real = join(folder(), 'real', 'c.toml');
  writeFileSync(real, ONE, { mode: 0o640 });
  symlinkSync(real, paths().config);
  await editServers(paths(), (text) => setServerKey(text, 'a', 'lazy', true));
  expect(modeOf(real)).toBe('640');
  expect(readFileSync(paths().config, 'utf8')).toBe(readFileSync(real, 'utf8'));
  expect(readFileSync(real, 'utf8')).toContain('lazy = true');
});

test('concurrent edits are all kept', async () => {
  const names = Array.from({ length: 20 }, (_, index) => `K${index}`);
  await Promise.all(
    names.map((name) => editSecrets(paths(), (text) => setSecret(text, 'a', ['env', name], name))),
  );
  const text = readFileSync(paths().runtime, 'utf8');
  for (const name of names) expect(text).toContain(`${name} = "${name}"\n`);
});

test('an edit by a program without locking is also kept', async () => {
  const path = join(folder(), 'f');
  writeFileSync(path, 'one\n');
  let edits = 0;
  await editFile(
    path,
    (text) => {
      edits += 1;
      if (edits === 1) writeFileSync(path, 'one\nby another\n');
      return `${text}ours\n`;
    },
    ANYTHING,
  );
  expect(readFileSync(path, 'utf8')).toBe('one\nby another\nours\n');
});

test('an edit with an invalid result is not written', async () => {
  writeFileSync(paths().config, ONE);
  await expect(editServers(paths(), (text) => setServerKey(text, 'a', 'lazy', 'x'))).rejects.toThrow(
    `${paths().config}:5: server "a": lazy must be true or false, not "x".`,
  );
  await expect(editServers(paths(), () => 'x')).rejects.toThrow('invalid TOML');
  expect(readFileSync(paths().config, 'utf8')).toBe(ONE);
  expect(readdirSync(folder())).toEqual(['.mcpd.toml']);
});

test('a file that already contains an error can still be edited', async () => {
  writeFileSync(paths().config, `${ONE}laazy = 1\n`);
  expect(await editServers(paths(), (text) => setServerKey(text, 'a', 'lazy', true))).toBe(true);
});

test('a file is not written if the edit does not change it', async () => {
  writeFileSync(paths().config, ONE);
  const { ino } = statSync(paths().config);
  expect(await editServers(paths(), (text) => setServerKey(text, 'a', 'tools', ['*']))).toBe(false);
  expect(statSync(paths().config).ino).toBe(ino);
});

test('JSON files and missing files cannot be edited', async () => {
  await expect(editServers({ ...paths(), config: join(folder(), 'c.json') }, (text) => text)).rejects.toThrow(
    'commands can only edit TOML',
  );
  await expect(editServers(paths(), (text) => text)).rejects.toThrow('The configuration file');
});

test('a file whose last server was removed contains an empty list', async () => {
  writeFileSync(paths().config, ONE);
  expect(await editServers(paths(), (text) => removeServer(text, 'a'))).toBe(true);
  expect(readFileSync(paths().config, 'utf8')).toBe('servers = []\n');
});

test('the lock of a killed edit is released, and other edits wait for a running edit', async () => {
  const path = join(folder(), 'f');
  const holder = await startLockHolder(path);
  const edits = Array.from({ length: 5 }, (_, index) =>
    editFile(path, (text) => `${text}${index}`, ANYTHING),
  );
  expect(existsSync(path)).toBe(false);
  await holder.kill();
  await Promise.all(edits);
  expect(readFileSync(path, 'utf8').split('').toSorted().join('')).toBe('01234');
  expect(readdirSync(folder())).toEqual(['f']);
});

test.runIf(process.getuid?.() === 0)('a file owned by another user keeps its owner', async () => {
  writeFileSync(paths().config, ONE, { mode: 0o600 });
  chownSync(paths().config, 65_534, 65_533);
  await editServers(paths(), (text) => setServerKey(text, 'a', 'lazy', true));
  const { uid, gid } = statSync(paths().config);
  expect([uid, gid, modeOf(paths().config)]).toEqual([65_534, 65_533, '600']);
});

test.runIf(process.platform === 'linux')(
  'if the folder cannot be created, the error is a single sentence',
  async () => {
    const config = '/proc/nowhere/deep/.mcpd.toml';
    await expect(createServers({ ...paths(), config }, ONE)).rejects.toThrow(
      'Cannot create the folder /proc/nowhere: /proc does not allow new folders. Choose another folder.',
    );
  },
);
