import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { problemsOf } from './resolve.ts';

const SERVERS = `# comment [[servers]]
[[servers]]
name = "a" # "
package = 'docker::x/y@1.2'
tools = ["*", 'b', """c
d"""]
env = { A = "1", "b c" = '2' }
required_env = ["K"]
[servers.volumes."w x"]
path = "/w"
[[servers]]
name = "b"
url = "https://x.example/?k=\${K}"
headers.Authorization = "Bearer $K"
tools = []
timeout_init = "1m30s"
[daemon]
api = { addr = ":1", timeout = { shutdown = 5 } }
`;
const SECRETS = `[servers.a]
args = ["$K", "--x=\${K:-d}", "$$"]
env.K = "\${K}"
[servers.b.oauth]
client_id = "$(K)"
client_secret = "v"
`;

/** The text with some parts replaced by others. */
const damaged = (text: string): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.nat(text.length),
      fc.nat(12),
      fc.oneof(
        fc.string({ maxLength: 4 }),
        fc.constantFrom(
          '[',
          ']',
          '"',
          "'",
          '=',
          '.',
          '\n',
          '$',
          '${',
          '}',
          '{',
          '#',
          '\\',
          '1',
          'true',
          '"""',
        ),
      ),
    )
    .map(([at, length, put]) => text.slice(0, at) + put + text.slice(at + length));

test('any TOML content results in a configuration or a list of problems', () => {
  expect(problemsOf({ servers: SERVERS, secrets: SECRETS, env: { K: 'value' } })).toEqual([]);
  let refused = 0;
  fc.assert(
    fc.property(damaged(SERVERS), damaged(SECRETS), (servers, secrets) => {
      const problems = problemsOf({ servers, secrets, env: { K: 'value' } });
      refused += problems.length > 0 ? 1 : 0;
      for (const problem of problems) expect(problem).toMatch(/^(?:\.mcpd|secrets)\.toml(?::\d+)?: \S/);
    }),
    { numRuns: 600 },
  );
  expect(refused).toBeGreaterThan(100);
});

test('any JSON content results in a configuration or a list of problems', () => {
  const servers =
    '{"mcpServers": {"a": {"command": "x", "args": ["$K"], "env": {"A": "${env:K}"}}, "b": {"url": "https://x"}}}';
  fc.assert(
    fc.property(fc.oneof(damaged(servers), fc.json()), (text) => {
      for (const problem of problemsOf({ servers: text, file: 'c.json', env: { K: 'value' } }))
        expect(problem).toMatch(/^c\.json: \S/);
    }),
    { numRuns: 600 },
  );
});
