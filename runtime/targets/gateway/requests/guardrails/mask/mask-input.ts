import type { Steps } from '#core/limits/steps.ts';
import type { Json } from '../../../providers/shapes/chat.ts';
import { withoutOverlaps } from '../judges/found-spans.ts';
import { mapBodyTexts } from './body-texts.ts';
import { type MaskedSpan, maskTexts } from './mask-texts.ts';
import { createPlaceholders, type Placeholders } from './placeholders.ts';

interface MaskedBody {
  readonly body: Json;
  readonly placeholders: Placeholders;
}

/** The texts of a request that can be masked, in order. */
export function maskableTexts(body: Json): string[] {
  const texts: string[] = [];
  mapBodyTexts(body, (text) => {
    texts.push(text);
    return text;
  });
  return texts;
}

/** Replaces what was found in these texts; undefined if nothing was. */
export function* maskBody(
  body: Json,
  texts: readonly string[],
  found: readonly (readonly MaskedSpan[])[],
): Steps<MaskedBody | undefined> {
  const spans: MaskedSpan[][] = [];
  for (const own of found) spans.push(yield* withoutOverlaps(own));
  if (spans.every((own) => own.length === 0)) return undefined;
  const placeholders = createPlaceholders(JSON.stringify(body));
  const masked = yield* maskTexts(texts, spans, placeholders);
  let next = 0;
  const result = mapBodyTexts(body, (text) => masked[next++] ?? text);
  return { body: result, placeholders };
}
