import type { Clock } from '#platform/clock.ts';
import type { QuestionVector, StoredCacheEntries } from './stored-entries.ts';
import type { CacheSettings, SemanticSettings } from './cache-settings.ts';
import { createVectorIndex, normalized, type Nearest, type VectorIndex } from './vector-index.ts';
import { isObject } from '#core/json/is-object.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { membersOf } from '#core/json/members-of.ts';
import { derivedFrom, type Passed } from '../../providers/shapes/passed.ts';
import type { Router } from '../routing/routing.ts';

/** The questions of the cached responses, kept in memory as vectors. */
export interface SimilarQuestions {
  nearest(
    question: QuestionVector,
    settings: CacheSettings,
    semantic: SemanticSettings,
  ): Promise<Nearest | undefined>;
  add(key: string, question: QuestionVector, expiresAt: number, semantic: SemanticSettings): void;
  delete(key: string): void;
}

interface SimilarParts {
  readonly stored: Pick<StoredCacheEntries, 'vectors'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly onError: (error: unknown) => void;
}

/** How often vectors written by other gateways are read from the database. */
const REFRESH_MS = 5000;

/** Allowance for clock differences between gateways and for the delay until a response is written. */
const OVERLAP_MS = 60_000;

export function createSimilarQuestions({ stored, clock, onError }: SimilarParts): SimilarQuestions {
  const indexes = new Map<string, VectorIndex>();
  /** Oldest first. */
  const known = new Map<string, { readonly group: string; readonly expiresAt: number }>();
  let readUntil: number | undefined;
  let reading: Promise<void> | undefined;

  const remove = (key: string): void => {
    const group = known.get(key)?.group;
    if (group === undefined) return;
    known.delete(key);
    const index = indexes.get(group);
    index?.delete(key);
    if (index?.size === 0) indexes.delete(group);
  };
  const add: SimilarQuestions['add'] = (key, { group, vector }, expiresAt, { maxEntries }) => {
    remove(key);
    // A group contains the vectors of a single encoder, so all of them have the same length.
    const index = indexes.get(group) ?? createVectorIndex(vector.length);
    indexes.set(group, index);
    index.add(key, vector);
    known.set(key, { group, expiresAt });
    for (const oldest of known.keys()) {
      if (known.size <= maxEntries) return;
      remove(oldest);
    }
  };
  const read = async (semantic: SemanticSettings): Promise<void> => {
    const now = clock.now();
    const since = readUntil === undefined ? 0 : readUntil - OVERLAP_MS;
    readUntil = now;
    try {
      for (const { key, expiresAt, ...question } of await stored.vectors(since, now, semantic.maxEntries)) {
        if (!known.has(key)) add(key, question, expiresAt, semantic);
      }
    } catch (error) {
      onError(error);
    }
  };
  /** Reads the vectors that other gateways have added. Only the first request waits for this. */
  const refresh = async (semantic: SemanticSettings): Promise<void> => {
    const isFirst = readUntil === undefined;
    if (!reading && (readUntil === undefined || clock.now() - readUntil >= REFRESH_MS)) {
      reading = read(semantic).finally(() => {
        reading = undefined;
      });
    }
    if (isFirst) await reading;
  };
  return {
    async nearest({ group, vector }, { store }, semantic) {
      if (store === 'database') await refresh(semantic);
      for (;;) {
        const found = indexes.get(group)?.nearest(vector, semantic.threshold);
        if (!found || (known.get(found.key)?.expiresAt ?? 0) > clock.now()) return found;
        remove(found.key);
      }
    },
    add,
    delete: remove,
  };
}

/**
 * Returns the vector that an encoder computes for a text. Throws if the encoder does not respond in time.
 */
export async function questionVector(
  router: Pick<Router, 'resolve' | 'embed'>,
  question: Passed<{ readonly text: string }>,
  { encoder, timeoutMs }: Pick<SemanticSettings, 'encoder' | 'timeoutMs'>,
  signal: AbortSignal,
): Promise<Float32Array> {
  const resolved = router.resolve(`encoder:${encoder}`);
  const body = { model: encoder, input: question.text };
  const call = {
    body,
    bytes: Buffer.from(JSON.stringify(body)),
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  };
  const { answer } = await router.embed(resolved, derivedFrom(question, call));
  if (answer.kind === 'failed') throw answer.failure.error;
  const { data } = membersOf(parseJsonText(Buffer.from(answer.bytes).toString()));
  const [first]: readonly unknown[] = Array.isArray(data) ? data : [];
  const values: unknown = isObject(first) ? first['embedding'] : undefined;
  const vector = Array.isArray(values) && values.every(isNumber) ? normalized(values) : undefined;
  if (!vector) throw new Error(`The encoder \`${encoder}\` did not return a vector.`);
  return vector;
}

const isNumber = (value: unknown): value is number => typeof value === 'number';
