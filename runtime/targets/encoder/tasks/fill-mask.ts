import { inputError } from '#contract/errors.ts';
import type { Manifest } from '#contract/manifest.ts';
import { shortestFloat32 } from '#core/numbers/float32.ts';
import { softmax } from '#core/numbers/softmax.ts';
import { itemAt } from '#core/values/item-at.ts';
import { greatestItems } from '../math/greatest.ts';
import { finiteOutput } from '../math/inference.ts';
import type { PrintModel, Task } from './task.ts';

/**
 * Candidates for the masks in a text, as token ids. This is the part of the result that does not
 * require the tokenizer.
 */
export interface MaskedText {
  /** The tokens of the text. */
  readonly ids: readonly number[];
  readonly masks: readonly {
    /** Position of the mask in the list of tokens. */
    readonly position: number;
    readonly candidates: readonly { readonly token_id: number; readonly score: number }[];
  }[];
}

/** One result of a fill_mask model. */
export interface FilledText {
  readonly masks: readonly {
    readonly candidates: readonly {
      readonly token: string;
      readonly token_id: number;
      readonly score: number;
      readonly sequence: string;
    }[];
  }[];
}

/** Default number of candidates, as in transformers. */
const DEFAULT_CANDIDATES = 5;

/** The thread that has the tokenizer completes the results and encodes them as messages. */
export const fillMaskTask: Task<MaskedText> = {
  details: false,
  printedAs: 'predictions',
  flags: {
    targets: {
      value: 'a,b,c',
      repeatable: true,
      help: 'Fill-mask models: score only these comma-separated words',
    },
  },
  sharedFlags: ['top-k'],

  printOptions: async (flags, model) => ({
    topK: flags.count('top-k'),
    targets: await targetIds(model, flags.words('targets'), () => '--targets'),
  }),

  result({ text, values }, manifest, { topK = DEFAULT_CANDIDATES, targets }) {
    const { mask, width } = manifest;
    const ids = [...text.ids];
    const positions = ids.flatMap((id, at) => (id === mask?.id ? [at] : []));
    if (positions.length === 0) throw noMask('The text', manifest);
    return {
      ids,
      masks: positions.map((position, row) => {
        const scores = softmax(finiteOutput(values.subarray(row * width, (row + 1) * width), manifest));
        return { position, candidates: best(scores, topK, targets) };
      }),
    };
  },

  async printed(inference, model, options) {
    const [filled] = await fillMasks(model, [fillMaskTask.result(inference, model.manifest, options)]);
    return filled ?? { masks: [] };
  },
};

function best(
  scores: Float32Array,
  count: number,
  targets?: readonly number[],
): { token_id: number; score: number }[] {
  const scoreOf = (id: number): number => scores[id] ?? 0;
  return greatestItems(targets ?? scores.keys(), scoreOf, count).map((id) => ({
    token_id: id,
    score: scoreOf(id),
  }));
}

/**
 * Adds each candidate's word and the text in which this word replaces the mask. As in transformers,
 * the text contains special tokens if it has several masks.
 */
export async function fillMasks(
  { decode }: Pick<PrintModel, 'decode'>,
  texts: readonly MaskedText[],
): Promise<FilledText[]> {
  return await Promise.all(
    texts.map(async ({ ids, masks }) => ({
      masks: await Promise.all(
        masks.map(async ({ position, candidates }) => {
          const tokens = await decode(
            candidates.map(({ token_id }) => [token_id]),
            false,
          );
          const sequences = await decode(
            candidates.map(({ token_id }) => ids.with(position, token_id)),
            masks.length === 1,
          );
          return {
            candidates: candidates.map(({ token_id, score }, at) => ({
              token: itemAt(tokens, at),
              token_id,
              score: shortestFloat32(Math.fround(score)),
              sequence: itemAt(sequences, at),
            })),
          };
        }),
      ),
    })),
  );
}

/** Creates the error for a text without a mask. `which` is the name of the text in the message. */
export const noMask = (which: string, { mask, tokenizer }: Pick<Manifest, 'mask' | 'tokenizer'>): Error =>
  inputError(
    `${which} contains no mask token in its first ${tokenizer.maxLength} tokens. Put ${mask?.token ?? ''} where a word should be predicted.`,
  );

/**
 * Returns the ids of the tokens to score; undefined for all tokens. Words that consist of several
 * tokens are rejected, because they cannot fill a single mask.
 */
export async function targetIds(
  { idOf, tokenize }: Pick<PrintModel, 'idOf' | 'tokenize'>,
  targets: readonly string[] | null | undefined,
  nameOf: (index: number) => string = (index) => `targets/${index}`,
): Promise<readonly number[] | undefined> {
  if (!targets || targets.length === 0) return undefined;
  const tokenized = await tokenize(targets, false);
  return [
    ...new Set(
      targets.map((target, at) => {
        const ids = itemAt(tokenized, at).ids;
        const id = idOf(target) ?? (ids.length === 1 ? ids[0] : undefined);
        if (id !== undefined) return id;
        throw inputError(
          `${nameOf(at)} ${JSON.stringify(target)} consists of ${ids.length} tokens for this model, but a mask represents a single token. Choose another word.`,
        );
      }),
    ),
  ];
}
