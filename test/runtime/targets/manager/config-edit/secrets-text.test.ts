import * as fc from 'fast-check';
import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import { setSecret } from '#manager/config-edit/secrets-text.ts';

const FILE = `# Secrets of this machine.
[servers.time]
args = ["--local-timezone=\${TZ}", "b"] # zone

[servers.time.env]
API_KEY = "\${MCPD__TIME__API_KEY}" # from the vault
OTHER = 'plain'

[servers."x y"]
args = []
`;

test('an edit keeps the placeholders of all servers', () => {
  const edited = setSecret(FILE, 'time', ['env', 'OTHER'], 'new ${WORD}');
  expect(edited).toBe(FILE.replace("'plain'", '"new ${WORD}"'));
});

test('setting the same arguments in a different order changes the text', () => {
  const edited = setSecret(FILE, 'time', ['args'], ['b', '--local-timezone=${TZ}']);
  expect(edited).toBe(FILE.replace('"--local-timezone=${TZ}", "b"', '"b", "--local-timezone=${TZ}"'));
});

test("new values get their own section after the server's other sections", () => {
  expect(setSecret(FILE, 'time', ['volumes', 'work'], '/repos')).toBe(
    FILE.replace("OTHER = 'plain'\n", `OTHER = 'plain'\n\n[servers.time.volumes]\nwork = "/repos"\n`),
  );
  expect(setSecret(FILE, 'a.b', ['env', 'K'], 'v')).toBe(`${FILE}\n[servers."a.b".env]\nK = "v"\n`);
  expect(setSecret('', 'time', ['args'], ['x'])).toBe('[servers.time]\nargs = [ "x" ]\n');
  expect(setSecret('[servers.Time.env]\nA = "1"\n', 'time', ['args'], ['x'])).toBe(
    '[servers.Time.env]\nA = "1"\n\n[servers.Time]\nargs = [ "x" ]\n',
  );
});

test('removing values leaves no empty tables', () => {
  const without = ['API_KEY', 'OTHER'].reduce(
    (text, key) => setSecret(text, 'time', ['env', key], undefined),
    FILE,
  );
  expect(parse(without)).toEqual({
    servers: { time: { args: ['--local-timezone=${TZ}', 'b'] }, 'x y': { args: [] } },
  });
  expect(without).toContain(
    '# Secrets of this machine.\n[servers.time]\nargs = ["--local-timezone=${TZ}", "b"] # zone\n',
  );
  expect(setSecret(FILE, 'time', ['env', 'NONE'], undefined)).toBe(FILE);
});

const anyText = fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed());
const anyKey = fc.oneof(anyText, fc.constantFrom('__proto__', 'a.b', '', '"', "'", 'é', 'toString'));

test('any text under any key survives a round trip without changing other lines', () => {
  fc.assert(
    fc.property(
      anyKey,
      anyText,
      fc.constantFrom('', FILE, FILE.replaceAll('\n', '\r\n')),
      (key, value, text) => {
        const edited = setSecret(text, 'time', ['env', key], value);
        const { servers } = parse(edited) as { servers: { time: { env: Record<string, unknown> } } };
        expect(Object.getOwnPropertyDescriptor(servers.time.env, key)?.value).toBe(value);
        const kept = edited.split('\n');
        for (const line of text.split('\n').filter((line) => !line.startsWith(`${key} `)))
          expect(kept).toContain(line);
      },
    ),
    { numRuns: 300 },
  );
});

test('any list of arguments survives a round trip without changing the rest', () => {
  fc.assert(
    fc.property(fc.array(anyText), fc.array(anyText), (first, second) => {
      const edited = setSecret(setSecret(FILE, 'time', ['args'], first), 'time', ['args'], second);
      const before = parse(FILE) as { servers: { time: object } };
      expect(parse(edited)).toEqual({
        servers: { ...before.servers, time: { ...before.servers.time, args: second } },
      });
      expect(edited).toContain('\n[servers.time.env]\nAPI_KEY = "${MCPD__TIME__API_KEY}" # from the vault\n');
    }),
    { numRuns: 300 },
  );
});
