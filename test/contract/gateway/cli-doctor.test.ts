import { once } from 'node:events';
import { chmodSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import type { Finding } from '#serve/cli/doctor/finding.ts';
import { builtExecutable } from '../../helpers/built.ts';
import { startFixture } from '../../runtime/targets/gateway/fixture-provider.ts';
import { MASTER_KEY } from './arms.ts';
import { GATEWAY_COMMANDS } from './command-arms.ts';
import { storeFolder, useStoreFolder } from './command-folder.ts';
import { PROVIDER_KEY, providersFor } from './config.ts';
import { useGateways } from './shared-gateways.ts';
import { verifiesGateway, verifiesGatewayCommand } from './verifies.ts';

const folderOf = useStoreFolder();
const gateway = useGateways();
const [openai, encoder] = await Promise.all([startFixture('openai'), startFixture('encoder')]);

const shown = (findings: readonly Finding[]): string[] =>
  findings.map(
    ({ what, state, message, wayOut }) => `${state} ${what}: ${message}${wayOut ? ` ${wayOut}` : ''}`,
  );

const PRICE = { input_price_per_million: 1, output_price_per_million: 2 };

verifiesGatewayCommand('gcli:doctor', async (arm) => {
  const { done, json, run } = folderOf(arm, {
    master_key: MASTER_KEY,
    providers: providersFor({ openai }),
    encoders: { guard: { url: encoder.url }, shapes: { path: builtExecutable('shapes') } },
    aliases: { fast: { targets: ['openai:gpt-4o-mini'], fallbacks: ['openai:gpt-4o'] } },
    guardrails: { profiles: { attacks: { encoder: 'guard', labels: 'INJECTION', threshold: 0.5 } } },
    pricing: { 'openai:gpt-4o': PRICE },
  });
  await done('migrate');
  await done('pricing', 'set', 'openai:gpt-4o-mini', '--input', '1', '--output', '2');
  const findings: Finding[] = await json('doctor', '--port', '0');
  expect(shown(findings)).toEqual([
    expect.stringMatching(
      /^ok configuration: .*gateway\.yml; providers: openai, guard, shapes; aliases: fast$/,
    ),
    `ok master key: ${MASTER_KEY.length} characters`,
    expect.stringMatching(/^ok database: .*gateway\.db, version \d+$/),
    expect.stringMatching(/^ok provider openai: reachable, \d+ models?$/),
    'ok encoder guard: reachable, classifies texts',
    'ok encoder shapes: reachable, but does not classify texts',
    'ok guardrail attacks: the encoder guard has the labels INJECTION',
    'ok prices: all models in aliases have a price',
    'ok port: http://127.0.0.1:0 is available',
  ]);
  const { exitCode, stdout } = await run('doctor', '--port', '0');
  expect([exitCode, stdout]).toEqual([
    0,
    expect.stringMatching(/^ok {7}configuration: .*\nok {7}master key: /),
  ]);
});

verifiesGateway('gcli:doctor', async (arm) => {
  const { url, folder } = await gateway(arm, {
    config: { data_dir: 'data', providers: providersFor({ openai }) },
  });
  const { json } = storeFolder(GATEWAY_COMMANDS, folder);
  const findings: Finding[] = await json('doctor', '--port', new URL(url).port);
  expect(shown(findings)).toContain(`ok port: a gateway is running at ${url}`);
});

verifiesGatewayCommand('gcli:doctor:problems', async (arm) => {
  const busy = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  onTestFinished(() => void busy.close());
  await once(busy, 'listening');
  const { port } = busy.address() as AddressInfo;
  const { run, write, path } = folderOf(arm, {});
  const broken = write('broken.encoder', '#!/bin/sh\nexit 3\n');
  chmodSync(broken, 0o755);
  const config = {
    data_dir: 'data',
    master_key: 'short-master-key',
    host: '127.0.0.1',
    port,
    providers: {
      openai: { api_base: `${openai.url}/v1`, api_key: 'wrong' },
      groq: { api_base: 'http://127.0.0.1:1/v1', api_key: PROVIDER_KEY, local: true },
    },
    encoders: {
      guard: { url: encoder.url },
      other: { url: `${encoder.url}/other` },
      down: { url: `${encoder.url}/down` },
      broken: { path: broken },
    },
    aliases: { fast: { targets: ['openai:gpt-4o'], fallbacks: ['groq:llama'] } },
    guardrails: {
      profiles: {
        attacks: { encoder: 'other', labels: ['GOD', 'INJECTION'], threshold: 0.5 },
        unreachable: { encoder: 'down', labels: ['INJECTION'], threshold: 0.5 },
      },
    },
    require_pricing: true,
  };
  write('gateway.yml', JSON.stringify(config));
  const { exitCode, stdout, stderr } = await run('doctor', '--json');
  const told = shown(JSON.parse(stdout));
  expect([exitCode, stderr]).toEqual([1, '']);
  for (const expected of [
    /^problem configuration: The master key has 16 characters\. Use at least 32/,
    new RegExp(`^note database: ${path('data/gateway.db')} does not exist yet; \`gateway serve\``),
    /^problem provider openai: rejected the API key \(status 401\).* Correct its `api_key`, or the variable with the key\.$/,
    /^problem provider groq: cannot be reached: connect ECONNREFUSED 127\.0\.0\.1:1 Check its address \(http:\/\/127\.0\.0\.1:1\/v1\)/,
    /^problem encoder down: failed \(status 503\)/,
    /^problem encoder broken: Cannot start `.*broken\.encoder`: exited with code 3 Start it manually to see the reason/,
    /^ok encoder guard: reachable, classifies texts$/,
    /^problem guardrail attacks: the encoder other has no label "GOD" Its labels are BAD, GOOD\. Did you mean "GOOD"\?$/,
    /^problem guardrail attacks: the encoder other has no label "INJECTION" Its labels are BAD, GOOD\.$/,
    /^problem prices: no price for openai:gpt-4o, groq:llama, so requests for them are rejected Set it with `gateway pricing set/,
    /^problem port: a gateway cannot listen on http:\/\/127\.0\.0\.1:\d+ \(EADDRINUSE\) Stop the program that listens on this port, or choose another port/,
  ]) {
    expect(told).toContainEqual(expect.stringMatching(expected));
  }
  for (const secret of [PROVIDER_KEY, 'short-master-key']) expect(stdout).not.toContain(secret);

  const { require_pricing: _, ...unpriced } = config;
  for (const [allow, effect] of [
    [false, 'so requests under a budget are rejected'],
    [true, 'so their cost is not counted in budgets'],
  ] as const) {
    write('gateway.yml', JSON.stringify({ ...unpriced, allow_unpriced: allow }));
    expect(shown(JSON.parse((await run('doctor', '--json')).stdout))).toContainEqual(
      expect.stringMatching(new RegExp(`^note prices: no price for openai:gpt-4o, groq:llama, ${effect} `)),
    );
  }

  write('gateway.yml', 'providers: { opena: {} }\nprot: 1\ndata_dir: data\n');
  const { stdout: text, exitCode: code } = await run('doctor');
  expect(code).toBe(1);
  expect(text).toMatch(/^problem {2}configuration: .*\n/);
  expect(text).toContain('did you mean `openai`?');
  expect(text).toContain('unknown key `prot`');
  expect(text).toMatch(/^note {5}database: /m);
});
