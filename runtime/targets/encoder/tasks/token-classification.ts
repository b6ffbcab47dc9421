import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { shortestFloat32 } from '#core/numbers/float32.ts';
import type { Manifest } from '#contract/manifest.ts';
import { itemAt } from '#core/values/item-at.ts';
import {
  aggregateEntities,
  type AggregationStrategy,
  type EntityRules,
  type EntityToken,
  wordOfEntity,
} from '../math/entities.ts';
import { finiteOutput, type TokenInfo, tokenRows } from '../math/inference.ts';
import type { PrintModel, Task } from './task.ts';
import { labelScores } from './sequence-classification.ts';
import { writeTokenFloats, writeTokenInfo } from './token-info.ts';

interface TokenClassificationResult {
  readonly tokens: readonly {
    readonly token_info: TokenInfo;
    readonly logits: Float32Array;
    readonly scores: Float32Array;
    readonly label: string;
    readonly score: number;
  }[];
}

/** How tokens are grouped into entities. `none` disables grouping. */
export const AGGREGATIONS = ['none', 'simple', 'first', 'average', 'max'] as const satisfies readonly (
  | AggregationStrategy
  | 'none'
)[];

export const tokenClassificationTask: Task<TokenClassificationResult> = {
  details: true,
  printedAs: 'predictions',
  flags: {
    aggregation: {
      value: 'strategy',
      help: 'Token classification models: group tokens into entities in this way',
      choices: AGGREGATIONS,
      defaultText: 'none',
    },
  },

  printOptions(flags) {
    const aggregation = AGGREGATIONS.find((name) => name === flags.text('aggregation'));
    return { aggregation: aggregation === 'none' ? undefined : aggregation };
  },

  result(inference, manifest): TokenClassificationResult {
    const { windows } = inference;
    if (windows) {
      return {
        tokens: windows.flatMap((window) => tokenClassificationTask.result(window, manifest, {}).tokens),
      };
    }
    const { width, id2label } = manifest;
    const { transformed } = inference;
    const tokens = tokenRows(inference, width).map(({ info, values, row }) => {
      const logits = finiteOutput(values, manifest);
      const { scores, index } = labelScores(logits, { transformed, row });
      return {
        token_info: info,
        logits,
        scores,
        label: id2label?.[index] ?? String(index),
        score: shortestFloat32(scores[index] ?? 0),
      };
    });
    return { tokens };
  },

  proto({ tokens }) {
    const writer = new BinaryWriter();
    for (const { token_info, logits, scores, label, score } of tokens) {
      writer.tag(1, WireType.LengthDelimited).fork();
      writeTokenInfo(writer, 1, token_info);
      writeTokenFloats(writer, 2, logits);
      writeTokenFloats(writer, 3, scores);
      writer.tag(4, WireType.LengthDelimited).string(label);
      writer.tag(5, WireType.Bit32).float(score);
      writer.join();
    }
    return writer.finish();
  },

  async printed(inference, model, { aggregation }, text) {
    const { tokens } = tokenClassificationTask.result(inference, model.manifest, {});
    const printed = {
      tokens: tokens.map(({ token_info }) => token_info.token),
      labels: tokens.map(({ label }) => label),
    };
    if (!aggregation) return printed;
    const rows = tokens.map(({ token_info, scores }) => ({ ...token_info, scores }));
    const [entities] = await aggregateTexts(model, [{ text, tokens: rows }], aggregation);
    return { ...printed, entities };
  },
};

export interface AggregatedEntity {
  readonly entity_group: string;
  readonly score: number;
  readonly word: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Groups the tokens of each text into entities. The thread that has the tokenizer decodes the words
 * of the entities.
 */
export async function aggregateTexts(
  { manifest, decode }: Pick<PrintModel, 'manifest' | 'decode'>,
  texts: readonly { readonly text: string; readonly tokens: readonly EntityToken[] }[],
  strategy: AggregationStrategy,
): Promise<AggregatedEntity[][]> {
  const rules = rulesOf(manifest);
  const found = texts.map(({ text, tokens }) => aggregateEntities(tokens, strategy, text, rules));
  const decoded = await decode(
    found.flat().map(({ ids }) => ids),
    false,
  );
  let next = 0;
  return found.map((groups) =>
    groups.map((group) => ({
      entity_group: group.entity_group,
      score: shortestFloat32(Math.fround(group.score)),
      word: wordOfEntity(itemAt(decoded, next++), group, rules),
      start: group.start,
      end: group.end,
    })),
  );
}

function rulesOf({ id2label, tokenizer }: Manifest): EntityRules {
  const { marksSubwords, unknown } = tokenizer;
  return { id2label, marksSubwords, unknown };
}
