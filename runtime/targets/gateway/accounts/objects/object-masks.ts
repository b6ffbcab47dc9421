import type { Kysely } from 'kysely';
import { inputError } from '#contract/errors.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { createSeal, type Seal } from '#platform/seal.ts';
import type { Schema } from '../../store/schema.ts';
import { signingKey } from '../../store/signing-key.ts';
import type { ObjectKind, StoredObject } from './objects.ts';

/** What was masked in one request, and which guardrails it specified. */
export interface RequestMasks {
  /** In a batch, the client's ID for the request; empty if it is the object's only request. */
  readonly customId: string;
  /** The values to restore in the response, by placeholder. */
  readonly values: readonly (readonly [placeholder: string, value: string])[];
  /** The request's `guardrails` member. */
  readonly guardrails?: unknown;
}

/** Stores what was masked in requests whose responses providers store, encrypted with the master key. */
export interface ObjectMasks {
  keep(object: Pick<StoredObject, 'kind' | 'id'>, masks: readonly RequestMasks[]): Promise<void>;
  /** By request ID; empty if nothing was masked, or if it was encrypted with another master key. */
  find(kind: ObjectKind, id: string): Promise<ReadonlyMap<string, RequestMasks>>;
  /** Copies an object's masks to another object, e.g. a batch's output. */
  copy(from: Pick<StoredObject, 'kind' | 'id'>, to: Pick<StoredObject, 'kind' | 'id'>): Promise<void>;
  delete(object: Pick<StoredObject, 'kind' | 'id'>): Promise<void>;
}

const MAX_BYTES = 32 * 1024 * 1024;
const PURPOSE = 'masks';

/** Without a master key, only the database's permissions protect the values. */
export function createObjectMasks(db: Kysely<Schema>, masterKey = ''): ObjectMasks {
  let opened: Promise<Seal> | undefined;
  const seal = (): Promise<Seal> => {
    opened ??= signingKey(db, PURPOSE).then(
      (salt) => createSeal(masterKey, salt, 'masked values of stored objects'),
      (error: unknown) => {
        opened = undefined;
        throw error;
      },
    );
    return opened;
  };
  const add = async ({ kind, id }: Pick<StoredObject, 'kind' | 'id'>, sealed: Uint8Array): Promise<void> => {
    await db.transaction().execute((trx) =>
      trx
        .insertInto('gateway_object_masks')
        .values({ kind, id, sealed })
        .onConflict((conflict) => conflict.columns(['kind', 'id']).doNothing())
        .execute(),
    );
  };
  const sealedOf = async (kind: ObjectKind, id: string): Promise<Uint8Array | undefined> => {
    const row = await db
      .selectFrom('gateway_object_masks')
      .select('sealed')
      .where('kind', '=', kind)
      .where('id', '=', id)
      .executeTakeFirst();
    return row?.sealed;
  };
  return {
    async keep(object, masks) {
      if (masks.length === 0) return;
      const text = JSON.stringify(masks);
      if (text.length > MAX_BYTES)
        throw inputError(`The masked values in this file exceed ${MAX_BYTES} bytes. Use a smaller file.`);
      await add(object, (await seal()).close(text));
    },
    async find(kind, id) {
      const sealed = await sealedOf(kind, id);
      const text = sealed && (await seal()).open(sealed);
      const masks = text === undefined ? [] : (parseJsonText(text) as readonly RequestMasks[]);
      return new Map(masks.map((one) => [one.customId, one]));
    },
    async copy(from, to) {
      const sealed = await sealedOf(from.kind, from.id);
      if (sealed) await add(to, sealed);
    },
    async delete({ kind, id }) {
      await db
        .transaction()
        .execute((trx) =>
          trx.deleteFrom('gateway_object_masks').where('kind', '=', kind).where('id', '=', id).execute(),
        );
    },
  };
}
