import { inputError } from '#contract/errors.ts';
import type { ServingEngine } from '../engine/serving.ts';
import type { EmbeddingsRequest } from '../schemas/openai.ts';

/** What a caller can do, in the words of the client that sends ids of its own tokenizer by default. */
const WAY_OUT = "Send texts; in LangChain's OpenAIEmbeddings, set check_embedding_ctx_length=False.";

/**
 * Refuses token ids of another tokenizer, whose vectors would be meaningless: ids that this model does not have, and lists
 * without the special token that its texts begin or end with. `member` is the name of the input in the request.
 */
export function checkTokenIds(
  input: EmbeddingsRequest['input'],
  member: string,
  { manifest, boundary }: Pick<ServingEngine, 'manifest' | 'boundary'>,
): void {
  if (typeof input === 'string') return;
  const maximum = manifest.tokenizer.vocabularySize - 1;
  for (const { ids, place } of listsOf(input, member)) {
    const index = ids.findIndex((id) => id > maximum);
    if (index >= 0) {
      throw inputError(
        `${place}/${index} must be at most ${maximum}, not ${ids[index]}: it is a token id of another tokenizer. ${WAY_OUT}`,
      );
    }
    if (!boundary || ids.length === 0) continue;
    const { side, id, token } = boundary;
    const found = ids.at(side === 'start' ? 0 : -1);
    if (found === id) continue;
    throw inputError(
      `${place} must ${side} with ${id} (${token}), the special token of this model, not ${found}: the ids come from another tokenizer, or special tokens are missing. ${WAY_OUT}`,
    );
  }
}

/** Token ids that the model accepts, for documents: with its special token, without meaning. */
export function exampleIds({ manifest, boundary }: Pick<ServingEngine, 'manifest' | 'boundary'>): number[] {
  const token = Math.min(5, manifest.tokenizer.vocabularySize - 1);
  if (!boundary) return [token];
  return boundary.side === 'start' ? [boundary.id, token] : [token, boundary.id];
}

interface IdList {
  readonly ids: readonly number[];
  readonly place: string;
}

function listsOf(input: Exclude<EmbeddingsRequest['input'], string>, member: string): IdList[] {
  const single = input.filter((element) => typeof element === 'number');
  if (single.length > 0) return [{ ids: single, place: member }];
  return input.flatMap((ids, index) => (Array.isArray(ids) ? [{ ids, place: `${member}/${index}` }] : []));
}
