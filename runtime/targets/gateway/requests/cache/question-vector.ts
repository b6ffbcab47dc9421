import { isObject } from '#core/json/is-object.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { membersOf } from '#core/json/members-of.ts';
import { derivedFrom, type Passed } from '../../providers/shapes/passed.ts';
import type { Router } from '../routing/routing.ts';
import type { SemanticSettings } from './cache-settings.ts';
import { normalized } from './vector-index.ts';

/** Returns the vector of a text, from an encoder. Throws if the encoder does not return one in time. */
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
  if (!vector) throw new Error(`The encoder \`${encoder}\` returned no vector.`);
  return vector;
}

const isNumber = (value: unknown): value is number => typeof value === 'number';
