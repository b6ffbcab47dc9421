import type { Kysely, Transaction } from 'kysely';
import { isDeepStrictEqual } from 'node:util';
import { parseJsonText } from '#core/json/json-text.ts';
import type { Clock } from '#platform/clock.ts';
import type { FollowedRevision } from '../../store/followed-revision.ts';
import type { AliasRow, ProviderRow, Schema } from '../../store/schema.ts';
import type { Store } from '../../store/store.ts';
import { entryAddress, secretNames } from './entry-secrets.ts';
import type {
  EntryChange,
  EntrySettings,
  ModelEntries,
  StoredAlias,
  StoredEntries,
  StoredProvider,
} from './model-entries.ts';
import { isObject } from '#core/json/is-object.ts';
import { createSeal, type Seal } from '#platform/seal.ts';
import { signingKey } from '../../store/signing-key.ts';

interface EntryOptions {
  readonly clock: Clock;
  readonly masterKey: string | undefined;
}

export function createModelEntries(
  { db }: Pick<Store, 'db'>,
  revision: FollowedRevision,
  { clock, masterKey }: EntryOptions,
): ModelEntries {
  const box = createSecretBox(db, masterKey);
  return {
    revision: revision.current,
    read: async () => await readEntries(db, box),
    async change(decide) {
      // The database's key is created outside of the transaction, which occupies SQLite's only connection.
      await box.close('', {});
      await revision.change(async (trx, note) => {
        const stored = await readEntries(trx, box);
        const change = decide(stored);
        const before = (change.kind === 'alias' ? stored.aliases : stored.providers).find(
          ({ name }) => name === change.name,
        );
        const created = before?.createdAt ?? Math.floor(clock.now());
        const after = await writeEntry(trx, change, { box, created, now: Math.floor(clock.now()) });
        const verb = before === undefined ? 'create' : change.settings === undefined ? 'delete' : 'update';
        const states = { before: before && auditState(before), after: after && auditState(after) };
        note(`${change.kind}.${verb}`, change.name, withSecretChange(states, change, before));
      });
    },
  };
}

async function readEntries(db: Kysely<Schema>, box: SecretBox): Promise<StoredEntries> {
  const providers = await db.selectFrom('gateway_providers').selectAll().orderBy('name').execute();
  const aliases = await db.selectFrom('gateway_aliases').selectAll().orderBy('name').execute();
  return {
    providers: await Promise.all(providers.map(async (row) => await providerOf(row, box))),
    aliases: aliases.map(entryOf),
  };
}

async function providerOf(row: ProviderRow, box: SecretBox): Promise<StoredProvider> {
  const entry = entryOf(row);
  return {
    ...entry,
    secretNames: parseJsonText(row.secret_names) as readonly string[],
    secrets: row.secrets === null ? {} : await box.open(entryAddress(row.name, entry.settings), row.secrets),
  };
}

const entryOf = (row: ProviderRow | AliasRow): StoredAlias => ({
  name: row.name,
  settings: parseJsonText(row.settings) as EntrySettings,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

interface WriteParts {
  readonly box: SecretBox;
  readonly created: number;
  readonly now: number;
}

/** Writes an entry's new state and returns it; undefined if it is deleted. */
async function writeEntry(
  trx: Transaction<Schema>,
  change: EntryChange,
  { box, created, now }: WriteParts,
): Promise<StoredAlias | StoredProvider | undefined> {
  const { kind, name, settings } = change;
  if (settings === undefined) {
    const table = kind === 'alias' ? 'gateway_aliases' : 'gateway_providers';
    await trx.deleteFrom(table).where('name', '=', name).execute();
    return undefined;
  }
  const row = { name, settings: JSON.stringify(settings), created_at: created, updated_at: now };
  if (kind === 'alias') {
    await trx
      .insertInto('gateway_aliases')
      .values(row)
      .onConflict((conflict) => conflict.column('name').doUpdateSet(row))
      .execute();
    return entryOf(row);
  }
  const { secrets } = change;
  const isEmpty = secrets === undefined || Object.keys(secrets).length === 0;
  const sealed = isEmpty ? null : await box.close(entryAddress(name, settings), secrets);
  const secretColumns = { secret_names: JSON.stringify(secretNames(secrets ?? {})), secrets: sealed };
  await trx
    .insertInto('gateway_providers')
    .values({ ...row, ...secretColumns })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet({ ...row, ...(secrets !== undefined && secretColumns) }),
    )
    .execute();
  const written = await trx
    .selectFrom('gateway_providers')
    .selectAll()
    .where('name', '=', name)
    .executeTakeFirstOrThrow();
  return await providerOf(written, box);
}

interface States {
  readonly before?: EntrySettings | undefined;
  readonly after?: EntrySettings | undefined;
}

/** An entry's state for the audit log: its settings, and the names of its secrets. */
const auditState = (entry: StoredAlias | StoredProvider): EntrySettings => ({
  ...entry.settings,
  ...('secretNames' in entry && { secrets: entry.secretNames }),
});

/** Secret values are not recorded, only the fact that they changed. */
function withSecretChange(
  { before, after }: States,
  change: EntryChange,
  old: StoredAlias | StoredProvider | undefined,
): States {
  if (change.kind === 'alias' || change.secrets === undefined || !old || !('secrets' in old))
    return { before, after };
  if (isDeepStrictEqual(old.secrets, change.secrets)) return { before, after };
  return { before, after: { ...after, secretsChanged: true } };
}

/** Encrypts provider secrets with the master key, each bound to the address that it is sent to. */
interface SecretBox {
  close(address: string, secrets: EntrySettings): Promise<Uint8Array>;
  /** Undefined for secrets bound to another address, or encrypted with another master key. */
  open(address: string, bytes: Uint8Array): Promise<EntrySettings | undefined>;
}

/** Without a master key, only the database's permissions protect the secrets. */
function createSecretBox(db: Kysely<Schema>, masterKey = ''): SecretBox {
  let opened: Promise<Seal> | undefined;
  const openSeal = async (): Promise<Seal> =>
    createSeal(masterKey, await signingKey(db, 'providers'), 'providers of the gateway');
  const seal = (): Promise<Seal> => {
    opened ??= openSeal().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
  return {
    close: async (address, secrets) => (await seal()).close(JSON.stringify({ address, secrets })),
    async open(address, bytes) {
      const text = (await seal()).open(bytes);
      const value = text === undefined ? undefined : parseJsonText(text);
      if (!isObject(value) || value['address'] !== address) return undefined;
      return isObject(value['secrets']) ? value['secrets'] : undefined;
    },
  };
}
