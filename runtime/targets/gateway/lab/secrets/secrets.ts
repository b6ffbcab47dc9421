import { AppError, inputError } from '../../../../contract/errors.ts';
import type { Clock } from '../../../../platform/clock.ts';
import type { Store } from '../../store/store.ts';
import { signingKey } from '../../store/signing-key.ts';
import { isStorable } from '../../store/storable-text.ts';
import { createSeal, type Seal } from './seal.ts';

/** A secret as it is shown: without its value. */
interface SecretInfo {
  readonly name: string;
  readonly description: string;
  readonly createdAt: number;
  readonly updatedAt: number | null;
}

/** Keys of model servers that work needs. Each belongs to whoever set it: a user, or, as null, the master key. */
export interface Secrets {
  /** Returns whether there was none of that name. */
  set(owner: string | null, name: string, value: string, description: string): Promise<boolean>;
  list(owner: string | null): Promise<readonly SecretInfo[]>;
  /** Throws a NotFoundError. */
  delete(owner: string | null, name: string): Promise<void>;
  has(owner: string | null, name: string): Promise<boolean>;
  /** Throws a NotFoundError, or a ConfigError if it was set under another master key. */
  reveal(owner: string | null, name: string): Promise<string>;
}

const NAME = /^[\w.-]{1,100}$/;
const MOST_CHARACTERS = 1024;

export interface SecretOptions {
  readonly clock: Clock;
  readonly masterKey: string | undefined;
}

/** Without a master key only the permissions of the database protect them. */
export function createSecrets({ db }: Pick<Store, 'db'>, { clock, masterKey }: SecretOptions): Secrets {
  let opened: Promise<Seal> | undefined;
  const seal = (): Promise<Seal> => (opened ??= openSeal());
  const openSeal = async (): Promise<Seal> => createSeal(masterKey ?? '', await signingKey(db, 'secrets'));
  const one = (owner: string | null, name: string) =>
    db.selectFrom('gateway_secrets').where('owner', '=', ownerColumn(owner)).where('name', '=', name);
  const find = async (owner: string | null, name: string): Promise<Uint8Array | undefined> => {
    if (!isStorable(name)) return undefined;
    return (await one(owner, name).select('value').executeTakeFirst())?.value;
  };

  return {
    async set(owner, name, value, description) {
      checkSecret(name, value);
      const [sealed, now] = [(await seal()).close(value), Math.floor(clock.now())];
      const isNew = (await find(owner, name)) === undefined;
      await db.transaction().execute((trx) =>
        trx
          .insertInto('gateway_secrets')
          .values({
            owner: ownerColumn(owner),
            name,
            value: sealed,
            description,
            created_at: now,
            updated_at: null,
          })
          .onConflict((conflict) =>
            conflict.columns(['owner', 'name']).doUpdateSet({ value: sealed, description, updated_at: now }),
          )
          .execute(),
      );
      return isNew;
    },
    async list(owner) {
      const rows = await db
        .selectFrom('gateway_secrets')
        .select(['name', 'description', 'created_at', 'updated_at'])
        .where('owner', '=', ownerColumn(owner))
        .orderBy('name')
        .execute();
      return rows.map(({ name, description, created_at: createdAt, updated_at: updatedAt }) => ({
        name,
        description,
        createdAt,
        updatedAt,
      }));
    },
    async delete(owner, name) {
      if ((await find(owner, name)) === undefined) throw notFound(name);
      await db
        .transaction()
        .execute((trx) =>
          trx
            .deleteFrom('gateway_secrets')
            .where('owner', '=', ownerColumn(owner))
            .where('name', '=', name)
            .execute(),
        );
    },
    has: async (owner, name) => (await find(owner, name)) !== undefined,
    async reveal(owner, name) {
      const sealed = await find(owner, name);
      if (sealed === undefined) throw notFound(name);
      const value = (await seal()).open(sealed);
      if (value !== undefined) return value;
      throw new AppError('ConfigError', `Secret '${name}' was set under another master key; set it again.`);
    },
  };
}

/** No user has an empty name. */
const ownerColumn = (owner: string | null): string => owner ?? '';

function checkSecret(name: string, value: string): void {
  if (!NAME.test(name)) {
    throw inputError(
      `${JSON.stringify(name.slice(0, 100))} is no name for a secret; use 1 to 100 letters, digits, \`_\`, \`.\` and \`-\`.`,
    );
  }
  if (value.length < 1 || value.length > MOST_CHARACTERS) {
    throw inputError(
      `The value of a secret has 1 to ${MOST_CHARACTERS} characters, and this one has ${value.length}.`,
    );
  }
}

const notFound = (name: string): AppError =>
  new AppError('NotFoundError', `Secret with name '${name}' not found`, { reason: 'secret_not_found' });
