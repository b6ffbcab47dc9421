import type { Kysely } from 'kysely';
import { AppError } from '#contract/errors.ts';
import { isObject } from '#core/json/is-object.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import type { Clock } from '#platform/clock.ts';
import { LASTING } from '../../store/account-ids.ts';
import type { StoredObjectRow } from '../../store/record-schema.ts';
import type { Schema } from '../../store/schema.ts';
import { isStorable, storableText } from '../../store/storable-text.ts';
import type { Store } from '../../store/store.ts';
import type { Objects, ObjectKind, ObjectPlace, StoredObject, WorkPlan } from './objects.ts';
import { canSee } from '../../shared/owner.ts';
import { isVisible } from '../../store/space-columns.ts';

/** Maximum number of unpaid objects checked at a time. */
const MAX_CHECKED = 50;
/** Maximum number of IDs per query. */
const MAX_LOOKED_UP = 500;
/** Maximum number of rows per insert. */
const MAX_INSERTED = 100;
const KINDS: readonly ObjectKind[] = ['file', 'batch', 'response', 'item'];

export function createObjects({ db }: Pick<Store, 'db'>, clock: Pick<Clock, 'now'>): Objects {
  const find: Objects['find'] = async (kind, id) => {
    if (!isStorable(id)) return undefined;
    const row = await db
      .selectFrom('gateway_objects')
      .selectAll()
      .where('kind', '=', kind)
      .where('id', '=', id)
      .executeTakeFirst();
    return row && objectOf(row);
  };
  /** Returns the number of new objects. */
  const insert = async (objects: readonly StoredObject[]): Promise<bigint> =>
    await db.transaction().execute(async (trx) => {
      let added = 0n;
      for (let at = 0; at < objects.length; at += MAX_INSERTED) {
        const { numInsertedOrUpdatedRows: count = 0n } = await trx
          .insertInto('gateway_objects')
          .values(objects.slice(at, at + MAX_INSERTED).map(rowOf))
          .onConflict((conflict) => conflict.columns(['kind', 'id']).doNothing())
          .executeTakeFirst();
        added += count;
      }
      return added;
    });
  const change = async (
    { kind, id }: Pick<StoredObject, 'kind' | 'id'>,
    values: Partial<StoredObjectRow>,
  ): Promise<void> => {
    await db
      .transaction()
      .execute(
        async (trx) =>
          await trx
            .updateTable('gateway_objects')
            .set(values)
            .where('kind', '=', kind)
            .where('id', '=', id)
            .execute(),
      );
  };
  const require: Objects['require'] = async (kind, id, viewer) => {
    const object = await find(kind, id);
    if (object && canSee(viewer, object.space)) return object;
    throw unknownObject(kind, id);
  };
  return {
    find,
    require,
    async requireOwn(ids, viewer) {
      const places: ObjectPlace[] = [];
      const all = [...ids].filter(isStorable);
      for (let at = 0; at < all.length; at += MAX_LOOKED_UP) {
        const rows = await db
          .selectFrom('gateway_objects')
          .select(['kind', 'id', 'space', 'provider', 'provider_key'])
          .where('kind', 'in', KINDS)
          .where('id', 'in', all.slice(at, at + MAX_LOOKED_UP))
          .execute();
        for (const { kind, id, space, provider, provider_key: providerKey } of rows) {
          const place = { kind: kind as ObjectKind, id, provider, providerKey };
          if (!canSee(viewer, space)) throw unknownObject(place.kind, id);
          places.push(place);
        }
      }
      return places;
    },
    async add(object) {
      if ((await insert([object])) > 0n) return;
      const { kind, id, provider } = object;
      throw new AppError(
        'UpstreamError',
        `Provider '${provider}' returned a ${kind} with the ID '${id}', which is already in use.`,
        {
          reason: 'provider_error',
        },
      );
    },
    addMissing: async (objects) => {
      if (objects.length > 0) await insert(objects);
    },
    async list(kind, viewer, { limit, after, isOldestFirst = false, purpose }) {
      const direction = isOldestFirst ? 'asc' : 'desc';
      let query = db
        .selectFrom('gateway_objects')
        .selectAll()
        .where('kind', '=', kind)
        .where(isVisible(viewer));
      if (purpose !== undefined) query = query.where('content', 'like', `%"purpose":"${purpose}"%`);
      if (after !== undefined) {
        const start = await require(kind, after, viewer);
        const beyond = isOldestFirst ? '>' : '<';
        query = query.where((row) =>
          row.or([
            row('created_at', beyond, start.createdAt),
            row.and([row('created_at', '=', start.createdAt), row('id', beyond, start.id)]),
          ]),
        );
      }
      const rows = await query
        .orderBy('created_at', direction)
        .orderBy('id', direction)
        .limit(limit + 1)
        .execute();
      return rows.map(objectOf);
    },
    update: (object, content) => change(object, { content: textOf(content) }),
    paid: (object) => change(object, { hold_id: null }),
    async delete({ kind, id }) {
      await db
        .transaction()
        .execute(
          async (trx) =>
            await trx.deleteFrom('gateway_objects').where('kind', '=', kind).where('id', '=', id).execute(),
        );
    },
    async takeUnpaid(kind, before) {
      const rows = await unpaid(db, kind, before);
      const now = Math.floor(clock.now());
      const taken: StoredObject[] = [];
      for (const row of rows) if (await take(db, row, now)) taken.push(objectOf(row));
      return taken;
    },
    async keysOfUnpaid() {
      const rows = await db
        .selectFrom('gateway_objects')
        .select('key_id')
        .distinct()
        .where('hold_id', 'is not', null)
        .where('key_id', 'is not', null)
        .execute();
      return rows.flatMap(({ key_id: keyId }) => keyId ?? []);
    },
    async unpaidOf(keyId) {
      const rows = await db
        .selectFrom('gateway_objects')
        .selectAll()
        .where('hold_id', 'is not', null)
        .where('key_id', '=', keyId)
        .execute();
      return rows.map(objectOf);
    },
    async unpaidWith(fileId) {
      const rows = await db
        .selectFrom('gateway_objects')
        .selectAll()
        .where('kind', '=', 'batch')
        .where('hold_id', 'is not', null)
        .where('content', 'like', `%${fileId}%`)
        .execute();
      const members = ['input_file_id', 'output_file_id', 'error_file_id'];
      return rows.map(objectOf).filter(({ content }) => members.some((name) => content[name] === fileId));
    },
    async lostHolds(before) {
      const rows = await db
        .selectFrom('gateway_reservations as held')
        .select(['held.id', 'held.user_id', 'held.key_id'])
        .where('held.process_id', '=', LASTING)
        .where('held.created_at', '<', Math.floor(before))
        .where((row) =>
          row.not(
            row.exists(
              row
                .selectFrom('gateway_objects')
                .select('id')
                .whereRef('gateway_objects.hold_id', '=', 'held.id'),
            ),
          ),
        )
        .execute();
      return rows.map(({ id, user_id: userId, key_id: keyId }) => ({ id, userId, keyId }));
    },
  };
}

const unpaid = async (db: Kysely<Schema>, kind: ObjectKind, before: number): Promise<StoredObjectRow[]> =>
  await db
    .selectFrom('gateway_objects')
    .selectAll()
    .where('kind', '=', kind)
    .where('hold_id', 'is not', null)
    .where((row) => row.or([row('checked_at', 'is', null), row('checked_at', '<', Math.floor(before))]))
    .orderBy('checked_at')
    .limit(MAX_CHECKED)
    .execute();

/** Whether no other gateway has taken it in the meantime. */
async function take(db: Kysely<Schema>, row: StoredObjectRow, now: number): Promise<boolean> {
  const { numUpdatedRows } = await db.transaction().execute(
    async (trx) =>
      await trx
        .updateTable('gateway_objects')
        .set({ checked_at: now })
        .where('kind', '=', row.kind)
        .where('id', '=', row.id)
        .where('hold_id', 'is not', null)
        .where('checked_at', row.checked_at === null ? 'is' : '=', row.checked_at)
        .executeTakeFirst(),
  );
  return numUpdatedRows > 0n;
}

export const unknownObject = (kind: ObjectKind, id: string): AppError =>
  new AppError('NotFoundError', `No ${kind} with id '${id.slice(0, 200)}'.`, { reason: `${kind}_not_found` });

const rowOf = (object: StoredObject): StoredObjectRow => ({
  id: object.id,
  provider: object.provider,
  provider_key: object.providerKey,
  kind: object.kind,
  user_id: object.userId,
  space: object.space,
  key_id: object.keyId,
  model: object.model,
  created_at: object.createdAt,
  content: textOf(object.content),
  plan: object.plan ? JSON.stringify(object.plan) : null,
  hold_id: object.held?.id ?? null,
  checked_at: null,
});

const objectOf = (row: StoredObjectRow): StoredObject => {
  const content = parseJsonText(row.content);
  const { user_id: userId, key_id: keyId } = row;
  const plan = row.plan === null ? undefined : (parseJsonText(row.plan) as WorkPlan);
  return {
    id: row.id,
    provider: row.provider,
    providerKey: row.provider_key,
    // Only values of this type are written.
    kind: row.kind as ObjectKind,
    userId,
    space: row.space,
    keyId,
    model: row.model,
    createdAt: row.created_at,
    content: isObject(content) ? content : {},
    plan,
    held: row.hold_id === null ? undefined : { id: row.hold_id, userId, keyId, tags: plan?.tags },
  };
};

const textOf = (content: StoredObject['content']): string => storableText(JSON.stringify(content));
