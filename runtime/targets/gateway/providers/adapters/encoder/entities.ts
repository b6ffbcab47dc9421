import { isObject } from '#core/json/is-object.ts';
import type { EntitiesAnswer, FailedAnswer, FoundEntity, Provider } from '../provider.ts';
import type { Exchange } from '../exchange.ts';
import { failure } from '../failure.ts';
import { unitOffsets } from './unit-offsets.ts';

/** Finds entities with a model of type token_classification. */
export const createEntityFinder =
  (exchange: Exchange, name: string, timeoutMs: number): NonNullable<Provider['entities']> =>
  async ({ texts, signal }) => {
    const body = Buffer.from(JSON.stringify({ inputs: texts, aggregation: 'simple' }));
    const request = { method: 'POST', path: '/predict', body } as const;
    return await exchange.json(request, { signal, timeoutMs }, ({ json }) =>
      readEntities(json['results'], texts, name),
    );
  };

function readEntities(
  results: unknown,
  texts: readonly string[],
  name: string,
): EntitiesAnswer | FailedAnswer {
  if (!Array.isArray(results) || results.length !== texts.length) return noTagger(name);
  const entities = results.map((result: unknown, index) => {
    const found = isObject(result) ? result['entities'] : undefined;
    if (!Array.isArray(found)) return undefined;
    const offset = unitOffsets(texts[index] ?? '');
    return found.flatMap((entity: unknown) => readEntity(entity, offset) ?? []);
  });
  const read = entities.filter((one) => one !== undefined);
  return read.length === texts.length ? { kind: 'entities', entities: read } : noTagger(name);
}

function readEntity(entity: unknown, offset: (codePoint: number) => number): FoundEntity | undefined {
  if (!isObject(entity)) return undefined;
  const { entity_group: label, score, start, end } = entity;
  const isEntity =
    typeof label === 'string' &&
    typeof score === 'number' &&
    typeof start === 'number' &&
    typeof end === 'number' &&
    end > start;
  return isEntity ? { label, score, start: offset(start), end: offset(end) } : undefined;
}

const noTagger = (name: string): FailedAnswer =>
  failure('unsupported', {
    text: `Encoder \`${name}\` cannot find entities. Use an encoder with a model of type token_classification.`,
  });
