import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { sha256 } from '#platform/sha256.ts';
import { encoder, gatewayFile, useNode } from './use-node.ts';

const OWN = `${process.platform}-${process.arch}`;
const OTHER = OWN === 'linux-arm64' ? 'linux-x64' : 'linux-arm64';
const node = useNode();

test('all workers on a node share one download of the program and encoders, and start the program', async () => {
  const [a, b] = [encoder('/models/a.encoder'), encoder('encoder:b')];
  const gateway = await node.serve(gatewayFile, a, b);
  const workers = await Promise.all([
    node.start(gateway.url),
    node.start(gateway.url),
    node.start(gateway.url),
  ]);
  const files = { [a.name]: node.cached(a), [b.name]: node.cached(b) };
  for (const { all, exitCode } of workers) {
    expect(all.split('\n')).toEqual([
      `2 job run ${JSON.stringify(files).replaceAll('","', '", "').replaceAll('":"', '": "')}`,
    ]);
    expect(exitCode).toBe(0);
  }
  expect(gateway.ranges).toHaveLength(3);
  expect(readFileSync(node.cached(a)).equals(a.bytes)).toBe(true);
  expect(readdirSync(node.executables()).toSorted()).toEqual(
    [a, b, gatewayFile]
      .map(({ bytes }) => sha256(bytes))
      .toSorted()
      .concat('lock'),
  );
});

test('downloads resume after a lost connection, a killed worker or a gateway restart', async () => {
  const a = encoder('a', randomBytes(3_000_000));
  const gateway = await node.serve(gatewayFile, a);
  gateway.cutAfter(2_000_000);
  expect(await node.start(gateway.url)).toMatchObject({ exitCode: 0 });
  const [[, first], [, second]] = gateway.ranges as [[string, number], [string, number]];
  expect(first).toBe(0);
  expect(second).toBeGreaterThan(0);
  expect(readFileSync(node.cached(a)).equals(a.bytes)).toBe(true);

  // The partial download of a killed worker.
  rmSync(node.cached(a));
  writeFileSync(`${node.cached(a)}.part`, a.bytes.subarray(0, 1_000_000));
  await gateway.close();
  const worker = node.start(gateway.url);
  await gateway.listen();
  expect(await worker).toMatchObject({ exitCode: 0 });
  expect(gateway.ranges.at(-1)).toEqual(['a', 1_000_000]);
  expect(readFileSync(node.cached(a)).equals(a.bytes)).toBe(true);
});

test('a damaged download is never started, and is downloaded again', async () => {
  const bytes = randomBytes(200_000);
  const bad = await node.serve(
    gatewayFile,
    encoder('a', bytes, { path: '/models/a.encoder', sent: Buffer.alloc(200_000) }),
  );
  const { all, exitCode } = await node.start(bad.url);
  expect(exitCode).toBe(1);
  expect(all).toBe(
    `\`/models/a.encoder\` was fetched with the SHA-256 ${sha256(Buffer.alloc(200_000))} instead of ${sha256(bytes)}: it was changed or damaged on the way.`,
  );
  expect(readdirSync(node.executables())).toEqual(['lock']);
  const good = await node.serve(gatewayFile, encoder('a', bytes));
  expect(await node.start(good.url)).toMatchObject({ exitCode: 0 });
});

test('an identical file in a shared folder is used in place, but a different version of the file is not', async () => {
  const [same, other] = [node.path('same'), node.path('other')];
  const bytes = randomBytes(1000);
  writeFileSync(same, bytes, { mode: 0o755 });
  writeFileSync(other, randomBytes(1000), { mode: 0o755 });
  const [a, b] = [encoder('a', bytes, { path: same }), encoder('b', randomBytes(1000), { path: other })];
  const gateway = await node.serve(gatewayFile, a, b);
  const { all } = await node.start(gateway.url);
  expect(all).toContain(JSON.stringify(same));
  expect(all).toContain(JSON.stringify(node.cached(b)));
  expect(gateway.ranges.map(([name]) => name)).toEqual(['b', 'gateway']);
});

test('if a command is configured, workers run that command on the node instead of downloading the program', async () => {
  const gateway = await node.serve(gatewayFile, encoder('a'));
  const { all, exitCode } = await node.start(gateway.url, { command: 'echo installed' });
  expect([all, exitCode]).toEqual(['installed job run', 0]);
  expect(gateway.ranges.map(([name]) => name)).toEqual(['a']);
});

test('executables for other platforms are rejected with a fix', async () => {
  const model = await node.serve(
    { ...gatewayFile, platform: OWN },
    encoder('a', undefined, { path: '/a.encoder', platform: OTHER }),
  );
  const { all, exitCode } = await node.start(model.url);
  expect(exitCode).toBe(1);
  expect(all).toMatch(
    new RegExp(
      `^\`/a.encoder\` is for ${OTHER}, but the node \\S+ is ${OWN}\\. Build it for this platform with \`--platform\`, or select other nodes with \`workflows\\.ray\\.labels\`\\.$`,
    ),
  );
  const program = await node.serve({ ...gatewayFile, platform: OTHER });
  expect((await node.start(program.url)).all).toContain('set `workflows.ray.command`');
  expect([...model.ranges, ...program.ranges]).toEqual([]);
});

test('the job fails if a file has changed on the gateway, and only the worker stops if its lease is lost', async () => {
  const gateway = await node.serve(gatewayFile, encoder('a'));
  gateway.refuse(409, 'lease_lost', 'Job 1 has ended.');
  expect(await node.start(gateway.url)).toMatchObject({ all: 'Job 1 has ended.', exitCode: 1 });
  expect(await node.start(gateway.url, { token: 'old' })).toMatchObject({
    all: 'Invalid worker token',
    exitCode: 1,
  });
  expect(gateway.ends).toEqual([]);
  gateway.refuse(409, 'file_changed', 'The file has changed.');
  expect(await node.start(gateway.url)).toMatchObject({ all: 'The file has changed.', exitCode: 1 });
  expect(gateway.ends).toEqual([{ range: null, status: 'failed', error: 'The file has changed.' }]);
});
