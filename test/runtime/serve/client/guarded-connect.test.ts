import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { inNamespace, namespacesWork } from '#test/helpers/namespace.ts';

interface Probe {
  readonly controls: readonly boolean[];
  readonly results: Readonly<Record<string, { readonly leaks: readonly string[] }>>;
}

test.runIf(namespacesWork())(
  'no path sends a request to instance metadata: by name, number, mapped address, redirect or changing records',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'encoderfile-test-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const resolver = join(folder, 'resolv.conf');
    writeFileSync(resolver, 'nameserver 127.0.0.1\noptions timeout:1 attempts:1\n');
    const { stdout, stderr } = await inNamespace(
      [
        'ip link set lo up',
        'ip address add 169.254.169.254/32 dev lo',
        `mount --bind ${resolver} /etc/resolv.conf`,
        `${process.execPath} ${join(import.meta.dirname, 'address-probe.ts')}`,
      ].join('\n'),
      { network: false },
    );
    expect(stderr).toBe('');
    const { controls, results } = JSON.parse(stdout) as Probe;
    expect(controls.every(Boolean), stdout).toBe(true);
    const guarded = { reachesGood: true, leaks: [], rebound: 0 };
    for (const [path, result] of Object.entries(results)) expect(result, path).toMatchObject(guarded);
    expect(Object.keys(results)).toHaveLength(9);
  },
  120_000,
);

test('each HTTP client of the programs checks the addresses of its connections', () => {
  const runtime = join(import.meta.dirname, '../../../../runtime');
  const files = readdirSync(runtime, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const clients = files.filter((name) => {
    const text = readFileSync(join(runtime, name), 'utf8');
    return /from 'undici'/.test(text) && /new (?:Agent|Pool|Client)\(/.test(text);
  });
  const unguarded = clients.filter(
    (name) =>
      !/guardedConnect\(|guardedLookup\(|providerLookup\(/.test(readFileSync(join(runtime, name), 'utf8')),
  );
  expect(unguarded).toEqual([]);
  expect(clients.length).toBeGreaterThan(6);
});
