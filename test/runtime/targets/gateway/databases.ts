import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { MessageChannel } from 'node:worker_threads';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import type { Clock } from '#platform/clock.ts';
import { openThreadLink } from '#serve/threads/thread-link.ts';
import type { Ledger } from '#gateway/accounts/ledger/ledger.ts';
import {
  createThreadLedger,
  type LedgerFunctions,
  offerLedger,
} from '#gateway/accounts/ledger/thread-ledger.ts';
import type { AlertPolicy } from '#gateway/accounts/ledger/budget-alerts.ts';
import { QUEUE_DEFAULTS } from '#gateway/accounts/ledger/waiting/queue-settings.ts';
import { type GatewayState, openGatewayState } from '#gateway/gateway-state.ts';
import type { Store } from '#gateway/store/store.ts';
import { parseDatabaseUrl } from '#gateway/store/database-url.ts';
import { openStore } from '#gateway/store/open-store.ts';
import { findPostgres, type Postgres, sharedPostgres } from '../../../helpers/postgres.ts';
import { MASTER_KEY } from './master-key.ts';
import { createTestClock, type TestClock } from './test-clock.ts';

/** A kind of database, and how a test gets a new one. */
export interface TestDatabase {
  readonly kind: Store['kind'];
  /** The URL of a database with the gateway's tables, valid until the end of the test. */
  readonly create: () => Promise<string>;
  /** The same, valid until the end of the file, for state that its tests share. */
  readonly createShared: () => Promise<string>;
  /** The URL of an empty database. */
  readonly createEmpty: () => Promise<string>;
  /** Opens the state; closed at the end of the test. */
  readonly openStore: (url: string) => Promise<Store>;
  readonly open: (url: string, options?: OpenOptions) => Promise<OpenState>;
  /** The gateway's state on a new database, with a stopped clock. */
  readonly start: () => Promise<OpenState & { readonly clock: TestClock; readonly url: string }>;
}

interface OpenOptions {
  readonly clock?: Clock;
  readonly alertPolicy?: () => AlertPolicy;
}

interface OpenState extends GatewayState {
  readonly store: Store;
  /** Runs a task before the state is closed, such as stopping background work that uses it. */
  readonly beforeClose: (work: () => Promise<void>) => void;
}

const PROGRAMS = await findPostgres();

/** `LEDGER=thread` uses the ledger as a serving thread does. */
const LEDGER = process.env['LEDGER'];

/** The ledger behind a link between threads. Only the main thread itself renews its lease and knows what waits. */
function throughMessages({ ledger, noticeRevision }: GatewayState, clock: Clock): Ledger {
  const { port1, port2 } = new MessageChannel();
  const main = openThreadLink<never>(port1, { ...offerLedger(ledger) });
  const link = openThreadLink<LedgerFunctions>(port2);
  const onError = (error: unknown): never => {
    throw error;
  };
  const remote = createThreadLedger({ link, clock, onRevision: noticeRevision, onError });
  return {
    ...remote,
    heartbeat: () => ledger.heartbeat(),
    waiting: () => ledger.waiting(),
    async close() {
      await remote.close();
      link.close();
      main.close();
    },
  };
}

/** PostgreSQL takes longer to create the tables than most tests take; copying a database takes a fraction of that time. */
async function createTables(url: string): Promise<void> {
  const store = await openStore(parseDatabaseUrl(url), { autoMigrate: true });
  await store.close();
}

/** Runs the same tests on both databases. */
export function describeDatabases(body: (database: TestDatabase) => void): void {
  const folders: string[] = [];
  const sharedFolders: string[] = [];
  const open: { close(): Promise<void> }[] = [];
  let postgres: Postgres | undefined;
  beforeAll(async () => {
    if (PROGRAMS !== undefined) postgres = await sharedPostgres(PROGRAMS);
  });
  afterAll(async () => {
    await postgres?.dropDatabases();
    for (const folder of sharedFolders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });
  afterEach(async () => {
    for (const one of open.splice(0)) await one.close();
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });

  const createFile = async (until = folders): Promise<string> => {
    const folder = mkdtempSync(join(tmpdir(), 'encoderfile-test-'));
    until.push(folder);
    return `sqlite:${join(folder, 'gateway.db')}`;
  };
  const openState: TestDatabase['open'] = async (url, { clock = createTestClock(), alertPolicy } = {}) => {
    const store = await openStore(parseDatabaseUrl(url), { autoMigrate: true });
    const errors: unknown[] = [];
    const state = await openGatewayState(store, {
      clock,
      masterKey: MASTER_KEY,
      alertPolicy,
      queues: { settings: () => QUEUE_DEFAULTS },
      onError: (error) => errors.push(error),
    });
    const ledger = LEDGER === 'thread' ? throughMessages(state, clock) : state.ledger;
    const before: (() => Promise<void>)[] = [];
    let closed = false;
    const close = async (): Promise<void> => {
      if (closed) return;
      closed = true;
      for (const work of before) await work();
      if (ledger !== state.ledger) await ledger.close();
      await state.close();
      if (errors.length > 0) throw errors[0];
    };
    open.push({ close });
    return { ...state, ledger, close, store, beforeClose: (work) => void before.push(work) };
  };
  const database = (
    kind: Store['kind'],
    creates: Pick<TestDatabase, 'create' | 'createShared' | 'createEmpty'>,
  ): TestDatabase => ({
    kind,
    ...creates,
    openStore: async (url) => {
      const store = await openStore(parseDatabaseUrl(url), { autoMigrate: true });
      open.push(store);
      return store;
    },
    open: openState,
    start: async () => {
      const clock = createTestClock();
      const url = await creates.create();
      return { ...(await openState(url, { clock })), clock, url };
    },
  });

  describe('SQLite', () => {
    // The tables of a SQLite database are created when it is opened, which is as fast as copying the file.
    const create = () => createFile();
    body(database('sqlite', { create, createShared: () => createFile(sharedFolders), createEmpty: create }));
  });
  describe.skipIf(PROGRAMS === undefined)('PostgreSQL', () => {
    const server = (): Postgres => {
      if (!postgres) throw new Error('There is no PostgreSQL.');
      return postgres;
    };
    const create = () => server().createPrepared(createTables);
    body(
      database('postgres', {
        create,
        createShared: create,
        createEmpty: () => server().createDatabase(),
      }),
    );
  });
}
