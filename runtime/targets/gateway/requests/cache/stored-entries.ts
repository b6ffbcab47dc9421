import { sql, type Kysely } from 'kysely';
import { parseJsonText } from '#core/json/json-text.ts';
import type { Schema } from '../../store/schema.ts';

/** Cached responses in the database, which several gateways can share. */
export interface StoredCacheEntries {
  /** The responses with these keys, in any order. */
  get(keys: readonly string[], now: number): Promise<readonly CacheEntry[]>;
  /** Returns the sizes of the written responses. With a question, `entries` contains only its response. */
  put(entries: readonly CacheEntry[], question: QuestionVector | undefined): Promise<readonly number[]>;
  /** Total size of all responses in bytes. */
  size(): Promise<number>;
  /** Deletes expired responses; returns their total size in bytes. */
  deleteExpired(now: number): Promise<number>;
  /** Deletes the oldest responses; returns their total size in bytes. */
  deleteOldest(count: number): Promise<number>;
  /** The newest vectors of responses created at this time or later, oldest first. */
  vectors(since: number, now: number, limit: number): Promise<readonly StoredVector[]>;
}

interface StoredVector extends QuestionVector {
  readonly key: string;
  readonly expiresAt: number;
}

export function createStoredEntries(db: Kysely<Schema>): StoredCacheEntries {
  return {
    async get(keys, now) {
      if (keys.length === 0) return [];
      const rows = await db
        .selectFrom('gateway_answers')
        .select(['key', 'body', 'target', 'prompt_tokens', 'completion_tokens', 'dropped_tools'])
        .select(['created_at', 'expires_at', 'api_key_id'])
        .where('key', 'in', keys)
        .where('expires_at', '>', now)
        .execute();
      return rows.map((row) => ({
        key: row.key,
        // A copy, because PostgreSQL's client returns part of a larger buffer.
        body: Uint8Array.from(row.body),
        target: row.target,
        promptTokens: row.prompt_tokens,
        completionTokens: row.completion_tokens,
        droppedTools: namesIn(row.dropped_tools),
        keyId: row.api_key_id,
        createdAt: row.created_at,
        expiresAt: row.expires_at,
      }));
    },
    async put(entries, question) {
      // A single SQL statement cannot write the same key twice.
      const rows = [...new Map(entries.map((entry) => [entry.key, rowOf(entry, question)])).values()];
      await db
        .insertInto('gateway_answers')
        .values(rows)
        .onConflict((conflict) =>
          conflict
            .column('key')
            .doUpdateSet((row) =>
              Object.fromEntries(UPDATED.map((column) => [column, row.ref(`excluded.${column}`)])),
            ),
        )
        .execute();
      return rows.map(({ size }) => size);
    },
    async size() {
      const sum = sql<number>`cast(coalesce(sum(size), 0) as bigint)`.as('total');
      return (await db.selectFrom('gateway_answers').select(sum).executeTakeFirstOrThrow()).total;
    },
    deleteExpired: async (now) =>
      sizeOf(
        await db.deleteFrom('gateway_answers').where('expires_at', '<=', now).returning('size').execute(),
      ),
    async deleteOldest(count) {
      const oldest = db.selectFrom('gateway_answers').select('key').orderBy('created_at').limit(count);
      return sizeOf(
        await db.deleteFrom('gateway_answers').where('key', 'in', oldest).returning('size').execute(),
      );
    },
    async vectors(since, now, limit) {
      const rows = await db
        .selectFrom('gateway_answers')
        .select(['key', 'question_group', 'vector', 'expires_at'])
        .where('vector', 'is not', null)
        .where('created_at', '>=', since)
        .where('expires_at', '>', now)
        .orderBy('created_at', 'desc')
        .limit(limit)
        .execute();
      return rows.toReversed().map(({ key, question_group: group, vector, expires_at }) => ({
        key,
        group: group ?? '',
        vector: vectorOf(vector ?? new Uint8Array()),
        expiresAt: expires_at,
      }));
    },
  };
}

function rowOf(entry: CacheEntry, question: QuestionVector | undefined) {
  const vector = question && bytesOf(question.vector);
  return {
    key: entry.key,
    target: entry.target,
    prompt_tokens: entry.promptTokens,
    completion_tokens: entry.completionTokens,
    dropped_tools: JSON.stringify(entry.droppedTools),
    created_at: entry.createdAt,
    expires_at: entry.expiresAt,
    size: entry.body.length + (vector?.length ?? 0) + ENTRY_BYTES,
    question_group: question?.group ?? null,
    vector: vector ?? null,
    experiment_id: entry.experimentId ?? null,
    body: entry.body,
    api_key_id: entry.keyId,
  };
}

/** The columns that a newer response with the same key replaces. */
const UPDATED = [
  'target',
  'prompt_tokens',
  'completion_tokens',
  'dropped_tools',
  'created_at',
  'expires_at',
  'size',
  'question_group',
  'vector',
  'experiment_id',
  'body',
  'api_key_id',
] as const;

const sizeOf = (rows: readonly { readonly size: number }[]): number =>
  rows.reduce((sum, { size }) => sum + size, 0);

function namesIn(text: string): readonly string[] {
  const names = parseJsonText(text);
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** Copies the bytes, because a Float32Array must be aligned in memory. */
const vectorOf = (bytes: Uint8Array): Float32Array => new Float32Array(Uint8Array.from(bytes).buffer);

/**
 * Keeps the size of the responses in the database below a limit. Each call deletes only a few responses,
 * because SQLite blocks the process.
 */
type TidyStored = (written: number, maxBytes: number, now: number) => Promise<void>;

/** Expired responses are deleted each time this many responses have been written. */
const WRITES_PER_DELETION = 100;

/**
 * The total size is reread each time this many responses have been written, because other gateways also
 * write to the database.
 */
const WRITES_PER_SIZE = 5000;

const DELETED_TOGETHER = 100;

/** Creates the function to call after each written response, with its size. */
export function createTidyStored(
  stored: Pick<StoredCacheEntries, 'size' | 'deleteExpired' | 'deleteOldest'>,
): TidyStored {
  let writes = 0;
  let size = 0;
  return async (written, maxBytes, now) => {
    const isFirst = writes === 0;
    writes += 1;
    size += written;
    if (isFirst || writes % WRITES_PER_DELETION === 0) size -= await stored.deleteExpired(now);
    if (isFirst || writes % WRITES_PER_SIZE === 0) size = await stored.size();
    while (size > maxBytes) {
      const deleted = await stored.deleteOldest(DELETED_TOGETHER);
      if (deleted === 0) return;
      size -= deleted;
    }
  };
}

/**
 * Cached responses in memory. If they need too much memory, the least recently used responses are deleted.
 */
interface MemoryEntries {
  get(key: string): CacheEntry | undefined;
  put(entry: CacheEntry, maxBytes: number): void;
  delete(key: string): void;
}

/** Estimated memory of an entry, excluding its body. */
const ENTRY_BYTES = 500;

export function createMemoryEntries(): MemoryEntries {
  /** The most recently used response is at the end. */
  const entries = new Map<string, CacheEntry>();
  let bytes = 0;
  const sizeOf = ({ body }: CacheEntry): number => body.length + ENTRY_BYTES;
  const remove = (key: string): void => {
    const entry = entries.get(key);
    if (!entry) return;
    entries.delete(key);
    bytes -= sizeOf(entry);
  };
  return {
    get(key) {
      const entry = entries.get(key);
      if (!entry) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry;
    },
    put(entry, maxBytes) {
      remove(entry.key);
      entries.set(entry.key, entry);
      bytes += sizeOf(entry);
      for (const key of entries.keys()) {
        if (bytes <= maxBytes) return;
        remove(key);
      }
    },
    delete: remove,
  };
}

/** A cached response, as the client received it. */
export interface CacheEntry {
  readonly key: string;
  /** The complete body: JSON, or all events of a stream. */
  readonly body: Uint8Array;
  /** The model that produced the response, `provider:model`. */
  readonly target: string;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Types of the tools that were not passed to the model. */
  readonly droppedTools: readonly string[];
  /** ID of the API key whose request created the response; null for a request without an API key. */
  readonly keyId: string | null;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly expiresAt: number;
  /**
   * The experiment whose workflows share the response. The response is deleted together with the
   * experiment.
   */
  readonly experimentId?: string | undefined;
}

/** A question's vector. Only questions in the same group are compared. */
export interface QuestionVector {
  readonly group: string;
  /** The vector, normalized to length 1. */
  readonly vector: Float32Array;
}
