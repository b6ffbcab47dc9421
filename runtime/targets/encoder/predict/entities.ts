import type { Manifest } from '#contract/manifest.ts';
import {
  aggregateEntities,
  type AggregationStrategy,
  type EntityRules,
  type EntityToken,
  wordOfEntity,
} from '../math/entities.ts';
import { shortestFloat32 } from '#core/numbers/float32.ts';
import { itemAt } from '#core/values/item-at.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import type { ServingEngine } from '../engine/serving.ts';

/** Adds `entities` to results of token classification, grouped from the tokens of each text. */
export async function addEntities(
  { manifest, decode }: Pick<ServingEngine, 'manifest' | 'decode'>,
  texts: readonly string[],
  results: readonly Uint8Array[],
  strategy: AggregationStrategy,
): Promise<Uint8Array[]> {
  const rules = rulesOf(manifest);
  const found = results.map((result, index) =>
    aggregateEntities(tokensOf(result), strategy, itemAt(texts, index), rules),
  );
  const decoded = await decode(
    found.flat().map(({ ids }) => ids),
    false,
  );
  let next = 0;
  return results.map((result, index) => {
    const entities = itemAt(found, index).map((group) => ({
      entity_group: group.entity_group,
      score: shortestFloat32(Math.fround(group.score)),
      word: wordOfEntity(itemAt(decoded, next++), group, rules),
      start: group.start,
      end: group.end,
    }));
    // The result is a JSON object: its closing brace is replaced to append one member.
    return Buffer.concat([result.subarray(0, -1), Buffer.from(`,"entities":${JSON.stringify(entities)}}`)]);
  });
}

function rulesOf({ id2label, tokenizer }: Manifest): EntityRules {
  const { marksSubwords, unknown } = tokenizer;
  return { id2label, marksSubwords, unknown };
}

function tokensOf(result: Uint8Array): EntityToken[] {
  const { tokens } = parseJsonText(Buffer.from(result).toString()) as TokenResult;
  return tokens.map(({ token_info, scores }) => ({ ...token_info, scores: Float32Array.from(scores) }));
}

interface TokenResult {
  readonly tokens: readonly {
    readonly token_info: Omit<EntityToken, 'scores'>;
    readonly scores: readonly number[];
  }[];
}
