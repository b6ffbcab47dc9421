import { isObject } from '#core/json/is-object.ts';
import type { Decided, HeldText } from './held-text.ts';
import { maskOutput, type MaskingParts } from './mask-output.ts';
import { parsed } from './output-members.ts';

/**
 * Arguments of a tool in a stream, which are JSON. They are sent when they are complete: in a piece of JSON, it is not known what is a
 * text, and no client can run a tool with a piece.
 */
export function createHeldJson(masking: MaskingParts): HeldText {
  let waiting = '';
  let whole = '';
  let masked = '';
  return {
    async take(piece, isLast): Promise<Decided> {
      whole += piece;
      waiting += piece;
      const isComplete = isLast || (waiting.trimEnd().endsWith('}') && isObject(parsed(waiting)));
      if (!isComplete || waiting === '') return { text: '', verdicts: [], blocked: undefined };
      const { value, verdicts, blocked } = await maskOutput(masking, { arguments: waiting });
      const text = isObject(value) ? String(value['arguments']) : waiting;
      waiting = '';
      masked += text;
      return { text, verdicts, blocked };
    },
    isOpen: () => waiting !== '',
    whole: () => [whole, masked],
  };
}
