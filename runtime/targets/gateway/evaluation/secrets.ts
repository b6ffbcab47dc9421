import { AppError, inputError } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import type { Store } from '../store/store.ts';
import { signingKey } from '../store/signing-key.ts';
import { isStorable, storableText } from '../store/storable-text.ts';
import { createSeal, type Seal } from '#platform/seal.ts';
import type { Owner } from '../shared/owner.ts';

/** A secret as displayed, without its value. */
interface SecretInfo {
  readonly name: string;
  readonly description: string;
  readonly createdAt: number;
  readonly updatedAt: number | null;
}

/**
 * Model server credentials that jobs need. Each belongs to the space that it was created in, or to the master
 * key (owner null).
 */
export interface Secrets {
  /** Sets a secret and returns whether it is new. */
  set(owner: Owner | null, name: string, value: string, description: string): Promise<boolean>;
  list(owner: Owner | null): Promise<readonly SecretInfo[]>;
  /** Deletes a secret. Throws a NotFoundError if it does not exist. */
  delete(owner: Owner | null, name: string): Promise<void>;
  has(owner: Owner | null, name: string): Promise<boolean>;
  /** Returns a secret's value. Throws a NotFoundError, or a ConfigError if it was encrypted with another master key. */
  reveal(owner: Owner | null, name: string): Promise<string>;
}

const NAME = /^[\w.-]{1,100}$/;
const MAX_CHARACTERS = 1024;

export interface SecretOptions {
  readonly clock: Clock;
  readonly masterKey: string | undefined;
}

/** Stores secrets encrypted with the master key. Without a master key, only the database's permissions protect them. */
export function createSecrets(
  { db, audit }: Pick<Store, 'db' | 'audit'>,
  { clock, masterKey }: SecretOptions,
): Secrets {
  let opened: Promise<Seal> | undefined;
  const seal = (): Promise<Seal> => (opened ??= openSeal());
  const openSeal = async (): Promise<Seal> =>
    createSeal(masterKey ?? '', await signingKey(db, 'secrets'), 'secrets of the gateway');
  const one = (owner: Owner | null, name: string) =>
    db.selectFrom('gateway_secrets').where('space', '=', spaceColumn(owner)).where('name', '=', name);
  const find = async (owner: Owner | null, name: string): Promise<Uint8Array | undefined> => {
    if (!isStorable(name)) return undefined;
    return (await one(owner, name).select('value').executeTakeFirst())?.value;
  };

  return {
    async set(owner, name, value, description) {
      checkSecret(name, value);
      const [sealed, now] = [(await seal()).close(value), Math.floor(clock.now())];
      const stored = storableText(description);
      const isNew = (await find(owner, name)) === undefined;
      await db.transaction().execute(async (trx) => {
        await trx
          .insertInto('gateway_secrets')
          .values({
            space: spaceColumn(owner),
            name,
            value: sealed,
            description: stored,
            created_at: now,
            updated_at: null,
          })
          .onConflict((conflict) =>
            conflict
              .columns(['space', 'name'])
              .doUpdateSet({ value: sealed, description: stored, updated_at: now }),
          )
          .execute();
        await audit.record(trx, {
          at: now,
          action: 'secret.set',
          object: name,
          after: { owner: owner?.userId ?? null, description },
        });
      });
      return isNew;
    },
    async list(owner) {
      const rows = await db
        .selectFrom('gateway_secrets')
        .select(['name', 'description', 'created_at', 'updated_at'])
        .where('space', '=', spaceColumn(owner))
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
      await db.transaction().execute(async (trx) => {
        await trx
          .deleteFrom('gateway_secrets')
          .where('space', '=', spaceColumn(owner))
          .where('name', '=', name)
          .execute();
        await audit.record(trx, {
          at: clock.now(),
          action: 'secret.delete',
          object: name,
          before: { owner: owner?.userId ?? null },
        });
      });
    },
    has: async (owner, name) => (await find(owner, name)) !== undefined,
    async reveal(owner, name) {
      const sealed = await find(owner, name);
      if (sealed === undefined) throw notFound(name);
      const value = (await seal()).open(sealed);
      if (value !== undefined) return value;
      throw new AppError(
        'ConfigError',
        `Secret '${name}' was encrypted with a different master key. Set it again.`,
      );
    },
  };
}

/** The space as a column value, which is part of the primary key. For the master key, it is empty. */
const spaceColumn = (owner: Owner | null): string => owner?.space ?? '';

function checkSecret(name: string, value: string): void {
  if (!NAME.test(name)) {
    throw inputError(
      `Invalid secret name ${JSON.stringify(name.slice(0, 100))}. Use 1 to 100 letters, digits, \`_\`, \`.\` and \`-\`.`,
    );
  }
  if (value.length < 1 || value.length > MAX_CHARACTERS) {
    throw inputError(
      `The value of a secret must have 1 to ${MAX_CHARACTERS} characters; this one has ${value.length}.`,
    );
  }
}

const notFound = (name: string): AppError =>
  new AppError('NotFoundError', `Secret with name '${name}' not found`, { reason: 'secret_not_found' });
