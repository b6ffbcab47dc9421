import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { Manifest } from '#contract/manifest.ts';
import { type EntityOptions, planEntities } from '#core/model/entity-options.ts';
import type { WordSource } from '#core/model/tokenized-text.ts';
import { shortestFloat32 } from '#core/numbers/float32.ts';
import { codePoints } from '#core/text/code-points.ts';
import { chooseEntities } from '../math/choose-entities.ts';
import { type EntitySpan, entityCandidates } from '../math/entity-candidates.ts';
import { finiteOutput, type Inference } from '../math/inference.ts';
import type { Task } from './task.ts';
import { labelsIn } from './zero-shot-classification.ts';

export interface ZeroShotNerResult {
  readonly entities: readonly {
    readonly text: string;
    readonly label: string;
    readonly score: number;
    /** Offset in the input text, in Unicode code points. */
    readonly start: number;
    readonly end: number;
  }[];
}

export const zeroShotNerTask: Task<ZeroShotNerResult> = {
  details: false,
  printedAs: 'predictions',
  flags: {
    threshold: {
      value: 'number',
      help: 'Zero-shot NER and object detection models: minimum score of an entity or object, from 0 to 1',
      defaultText: '0.5',
    },
    'flat-ner': {
      value: 'boolean',
      help: 'Zero-shot NER models: whether to return only entities that do not overlap',
      choices: ['true', 'false'],
      defaultText: 'true',
    },
  },
  sharedFlags: ['labels', 'label', 'multi-label'],

  printOptions(flags, { manifest }) {
    const request = {
      labels: labelsIn(flags),
      threshold: flags.share('threshold'),
      flatNer: flags.choice('flat-ner'),
      multiLabel: flags.isSet('multi-label'),
    };
    return { entities: planEntities(manifest, request, '--labels') };
  },

  result(inference, manifest, { entities }): ZeroShotNerResult {
    const options = required(entities);
    const parts = inference.windows ?? [inference];
    const spans = parts.flatMap((part) => spansOf(part, manifest, options));
    return entitiesOf(spans, required(inference.text.words?.source), options);
  },

  proto: writeEntities,

  printed: (inference, { manifest }, options) => zeroShotNerTask.result(inference, manifest, options),
};

/** Encodes a result as the protobuf message of the contract. */
export function writeEntities({ entities }: ZeroShotNerResult): Uint8Array {
  const writer = new BinaryWriter();
  for (const { text, label, score, start, end } of entities) {
    writer.tag(1, WireType.LengthDelimited).fork();
    writer.tag(1, WireType.LengthDelimited).string(text);
    writer.tag(2, WireType.LengthDelimited).string(label);
    writer.tag(3, WireType.Bit32).float(score);
    if (start !== 0) writer.tag(4, WireType.Varint).uint32(start);
    writer.tag(5, WireType.Varint).uint32(end);
    writer.join();
  }
  return writer.finish();
}

/**
 * The spans in a text or window that are candidates for entities. A window returns the spans for
 * which it has more context than other windows.
 */
export function spansOf(
  { text, values }: Inference,
  manifest: Manifest,
  { labels, threshold }: EntityOptions,
): EntitySpan[] {
  const { count, window } = required(text.words);
  if (count === 0) return [];
  const logits = finiteOutput(values, manifest);
  const types = labels.length;
  if (logits.length !== count * manifest.width * types) {
    throw new Error(`the model returned ${logits.length} values for ${count} words and ${types} types`);
  }
  const spans = entityCandidates({ logits, words: count, types }, required(manifest.entities), threshold);
  if (!window) return spans;
  const { start: first, ownFrom, ownTo } = window;
  return spans
    .map((span) => ({ ...span, start: first + span.start, end: first + span.end }))
    .filter(({ start }) => start >= ownFrom && start < ownTo);
}

/** Chooses the entities among the spans of a whole text, and determines their positions in the text. */
export function entitiesOf(
  spans: readonly EntitySpan[],
  { text, offsets }: WordSource,
  options: EntityOptions,
): ZeroShotNerResult {
  // Entities are sorted by start position, so that one pass over the text is enough.
  let [read, before] = [0, 0];
  const entities = chooseEntities(spans, options).map(({ start, end, type, score }) => {
    const [from = 0, to = 0] = [offsets[start * 2], offsets[end * 2 + 1]];
    before += codePoints(text.slice(read, from));
    read = from;
    const words = text.slice(from, to);
    return {
      text: words,
      label: options.labels[type] ?? '',
      score: shortestFloat32(score),
      start: before,
      end: before + codePoints(words),
    };
  });
  return { entities };
}

function required<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('tokenized without words');
  return value;
}
