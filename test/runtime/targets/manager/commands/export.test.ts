import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import { readConfig } from '#manager/config/read-config.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { SERVERS, workplace } from './workplace.ts';

const folder = useTempFolder();

test('export replaces values and volumes with variables, and writes a list of the variables', async () => {
  const { run, read, write, path } = workplace(folder());
  write(
    '.mcpd.toml',
    `${SERVERS}
[[servers]]
name = "b-c"
package = "uvx::x@1"
tools = ["*"]
required_env = ["NEEDED"]
required_args = ["--config"]
required_args_positional = ["dir"]
`,
  );
  write(
    'secrets.toml',
    '[servers.a.volumes]\nwork = "/hush"\n[servers.b-c]\nargs = ["--port=9000", "/hush", "more", "-v"]\n[servers.b-c.env]\nKEY = "hush"\n[servers.far.headers]\nX-Key = "hush"\n',
  );
  const outputs = ['--context-output', path('prod.toml'), '--contract-output', path('vars.env')];
  expect(await run('config', 'export', ...outputs)).toEqual({
    code: 0,
    out: '',
    err: 'Wrote prod.toml and vars.env.\n',
  });
  expect(parse(read('prod.toml'))).toEqual({
    servers: {
      a: { volumes: { work: '${MCPD__A__VOLUME__WORK}' } },
      far: { headers: { 'X-Key': '${MCPD__FAR__HEADER__X_KEY}' } },
      'b-c': {
        args: [
          '--port=${MCPD__B_C__ARG__PORT}',
          '${MCPD__B_C__DIR}',
          '${MCPD__B_C__ARG_2}',
          '-v',
          '--config=${MCPD__B_C__ARG__CONFIG}',
        ],
        env: { NEEDED: '${MCPD__B_C__NEEDED}', KEY: '${MCPD__B_C__KEY}' },
      },
    },
  });
  const names = read('vars.env')
    .trimEnd()
    .split('\n')
    .map((line) => line.split('=')[0] ?? '');
  expect(read('vars.env')).toBe(names.map((name) => `${name}=\${${name}}\n`).join(''));
  expect(names).toHaveLength(8);
  expect(read('prod.toml')).not.toContain('hush');
  const env = Object.fromEntries(names.map((name) => [name, 'x']));
  expect(
    (await readConfig({ config: path('.mcpd.toml'), runtime: path('prod.toml') }, env)).servers,
  ).toHaveLength(3);
  expect(await run('export', ...outputs)).toMatchObject({
    code: 1,
    err: expect.stringContaining('prod.toml already exists.'),
  });
  expect(await run('export', ...outputs, '--force')).toMatchObject({ code: 0 });
});

test("the variable for an argument's value stays next to its flag", async () => {
  const { run, read, write, path } = workplace(folder());
  const required = 'required_args = ["--config"]\nrequired_args_bool = ["--fast"]\n';
  write('.mcpd.toml', `[[servers]]\nname = "a"\ncommand = "x"\ntools = ["*"]\n${required}`);
  write('secrets.toml', '[servers.a]\nargs = ["--key", "hush", "--config", "-x", "--root", "/hush", "-v"]\n');
  await run('export', '--context-output', path('prod.toml'), '--contract-output', path('vars.env'));
  expect(parse(read('prod.toml'))).toEqual({
    servers: {
      a: {
        args: [
          '--key',
          '${MCPD__A__ARG_1}',
          '--config',
          '${MCPD__A__ARG__CONFIG}',
          '--root',
          '${MCPD__A__ARG_2}',
          '-v',
          '--fast',
        ],
      },
    },
  });
});
