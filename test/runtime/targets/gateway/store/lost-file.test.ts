import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { type GatewayState, openGatewayState } from '#gateway/gateway-state.ts';
import { openStore } from '#gateway/store/open-store.ts';
import { MASTER_KEY } from '../master-key.ts';
import { newSpender, used } from '../requests.ts';

const ESTIMATE = { cost: 10n, tokens: 5, free: false };
const UNAVAILABLE = {
  code: 'UnavailableError',
  reason: 'database_unavailable',
  cause: expect.objectContaining({ message: expect.stringContaining('was removed, moved or replaced') }),
};

let folder: string;
let path: string;
let state: GatewayState;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'encoderfile-test-'));
  path = join(folder, 'gateway.db');
  const store = await openStore({ kind: 'sqlite', path }, { autoMigrate: true });
  state = await openGatewayState(store, {
    clock: systemClock,
    masterKey: MASTER_KEY,
    onError: () => undefined,
  });
});
afterEach(async () => {
  await state.close();
  rmSync(folder, { recursive: true, force: true });
});

test.each([
  ['removed', () => rmSync(path)],
  ['moved away', () => renameSync(path, `${path}.old`)],
  [
    'replaced',
    () => {
      writeFileSync(`${path}.new`, '');
      renameSync(`${path}.new`, path);
    },
  ],
])(
  'once the file is %s, no request is admitted, no data is written, and the gateway is not reported as healthy',
  async (_what, lose) => {
    // Given
    const { identity, ledger } = state;
    const spender = await newSpender(identity, { userId: 'ada' });
    const begun = await ledger.reserve(spender, ESTIMATE);
    await expect(ledger.heartbeat()).resolves.toBeUndefined();
    // When
    lose();
    // Then
    await expect(ledger.settle(begun, used(4n))).rejects.toMatchObject(UNAVAILABLE);
    await expect(ledger.reserve(spender, ESTIMATE)).rejects.toMatchObject(UNAVAILABLE);
    await expect(ledger.heartbeat()).rejects.toMatchObject(UNAVAILABLE);
    await expect(identity.users.create({ userId: 'bob' })).rejects.toMatchObject(UNAVAILABLE);
  },
);

test('a restored file is used again, and pending settlements are written', async () => {
  const { identity, ledger } = state;
  const spender = await newSpender(identity, { userId: 'ada' });
  const begun = await ledger.reserve(spender, ESTIMATE);
  renameSync(path, `${path}.old`);
  await expect(ledger.settle(begun, used(4n))).rejects.toMatchObject(UNAVAILABLE);
  renameSync(`${path}.old`, path);
  await expect(ledger.heartbeat()).resolves.toBeUndefined();
  await ledger.release(await ledger.reserve(spender, ESTIMATE));
  expect((await ledger.quota(spender)).user).toMatchObject({ spent: 4n, reserved: 0n });
});
