import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseInvocation } from '#serve/cli/parse.ts';
import { CONFIG_OPTIONS } from '#manager/commands/config-options.ts';
import { configPaths } from '#manager/config/config-paths.ts';
import { readConfig } from '#manager/config/read-config.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';

const folder = useTempFolder();
const ONE = '[[servers]]\nname = "a"\ncommand = "x"\ntools = ["*"]\n';
const paths = () => ({ config: join(folder(), '.mcpd.toml'), runtime: join(folder(), 'secrets.toml') });

async function refusal(content: string | Uint8Array): Promise<string> {
  writeFileSync(paths().config, content);
  const error: unknown = await readConfig(paths(), {}).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ name: 'AppError', code: 'ConfigError' });
  return (error as Error).message;
}

test('the configuration file and the secrets file are read and watched, even if the secrets file does not exist', async () => {
  writeFileSync(paths().config, ONE);
  const { config, runtime } = paths();
  expect(await readConfig(paths(), {})).toMatchObject({
    servers: [{ name: 'a' }],
    files: [config, runtime, config.replace(/\.toml$/, '.pins.json')],
    warnings: [],
  });
});

test('a secrets file readable by other users causes a warning', async () => {
  writeFileSync(paths().config, ONE);
  writeFileSync(paths().runtime, '[servers.a.env]\nK = "v"\n', { mode: 0o644 });
  const { warnings } = await readConfig(paths(), {});
  expect(warnings).toEqual([
    `${paths().runtime} is readable by other users. Restrict it with \`chmod 600 ${paths().runtime}\`.`,
  ]);
  chmodSync(paths().runtime, 0o600);
  expect((await readConfig(paths(), {})).warnings).toEqual([]);
});

test('supports a byte order mark, a symbolic link and missing secrets', async () => {
  writeFileSync(join(folder(), 'real.toml'), `\uFEFF${ONE}`);
  symlinkSync('real.toml', paths().config);
  const { servers } = await readConfig({ ...paths(), runtime: '/dev/null' }, {});
  expect(servers).toHaveLength(1);
});

test('a missing file is rejected', async () => {
  await expect(readConfig(paths(), {})).rejects.toThrow(
    `The configuration file ${paths().config} does not exist. Create it with \`mcp-manager init\`, or choose another file with --config.`,
  );
});

test('a folder, a device and a path below a file are rejected', async () => {
  mkdirSync(paths().config);
  await expect(readConfig(paths(), {})).rejects.toThrow(
    `Cannot read ${paths().config}: it is a folder. Pass a file.`,
  );
  await expect(readConfig({ ...paths(), config: '/dev/zero' }, {})).rejects.toThrow(
    'it is not a regular file',
  );
  writeFileSync(join(folder(), 'file'), '');
  await expect(readConfig({ ...paths(), config: join(folder(), 'file', 'x') }, {})).rejects.toThrow(
    'one of its parent folders is a file. Pass another path.',
  );
});

test.each([
  ['text that is not UTF-8', Uint8Array.of(0x61, 0xff, 0xfe), 'is not valid UTF-8. Save it as UTF-8.'],
  ['a binary file', Uint8Array.of(0x7f, 0x45, 0, 1), 'is not a text file: it contains null bytes.'],
  [
    'a 10 MB file',
    `# ${'x'.repeat(10 * 1024 * 1024)}`,
    'has 10.0 MiB, but the maximum for a configuration file is 4 MiB.',
  ],
  ['an empty file', '', 'the file is empty.'],
  ['invalid TOML', '<html>', 'invalid TOML'],
])('%s is reported in one line', async (_, content, message) => {
  const said = await refusal(content);
  expect(said).toContain(message);
  expect(said).not.toContain('\n');
});

test('file paths are taken from flags, then from the environment, then from the defaults', () => {
  const command = { summary: '', options: CONFIG_OPTIONS, run: () => Promise.resolve(0) };
  const find = (args: string[], env: Record<string, string>) =>
    configPaths(parseInvocation(command, args, env), env);
  expect(find([], { HOME: '/h' })).toEqual({
    config: join(process.cwd(), '.mcpd.toml'),
    runtime: '/h/.config/mcpd/secrets.dev.toml',
  });
  expect(find([], { HOME: '/h', XDG_CONFIG_HOME: '/c' }).runtime).toBe('/c/mcpd/secrets.dev.toml');
  const env = { MCPD_CONFIG_FILE: '/e/c', MCPD_RUNTIME_FILE: '/e/r' };
  expect(find([], env)).toEqual({ config: '/e/c', runtime: '/e/r' });
  expect(find(['--config-file', '/f', '--runtime-file=/g'], env)).toEqual({ config: '/f', runtime: '/g' });
});
