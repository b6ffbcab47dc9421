import { parseJsonText } from '../../../../core/json/json-text.ts';
import type { ChunkDelta, ToolCallDelta } from '../shapes/chat.ts';

/** A piece of what a model writes. All pieces of one call of a tool come one after the other. */
export type ContentPiece =
  | { readonly kind: 'thinking'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'call'; readonly call: CallHead; readonly text: string };

/** One object for each call: pieces of the same call have the same object. */
export interface CallHead {
  /** Its place among the calls of the stream, from 0. */
  readonly number: number;
  /** Undefined if the provider gave none. */
  readonly id: string | undefined;
  readonly name: string;
}

export interface ContentSequence {
  /** The pieces that can go out now. */
  take(delta: ChunkDelta): ContentPiece[];
  /** All that was held back. */
  end(): ContentPiece[];
}

interface OpenCall {
  readonly head: CallHead;
  /** Arguments so far. */
  text: string;
  /** How much of them has gone out; undefined before the call has begun to. */
  sent: number | undefined;
}

/**
 * Puts the content of a stream in sequence. Providers may send several calls of tools interleaved, told apart by `index`; the wires of
 * Anthropic and of OpenAI's responses have one block after the other. The first call goes out as it comes, and what follows it is
 * held back until its arguments are complete.
 */
export function createContentSequence(): ContentSequence {
  /** By the provider's index; some use one index for several calls, which then have different ids. */
  const calls = new Map<number, OpenCall>();
  /** Calls that began and are not complete, in order; the first one is going out. */
  let waiting: OpenCall[] = [];
  /** Text that came after a call that is not complete. */
  let heldBack: ContentPiece[] = [];
  let count = 0;

  const callOf = ({ index, id, function: called }: ToolCallDelta): OpenCall => {
    const known = calls.get(index);
    const isAnother = known && id !== undefined && id !== known.head.id && (called?.name ?? '') !== '';
    if (known && !isAnother) return known;
    const head = { number: count, id, name: called?.name ?? '' };
    const call = { head, text: '', sent: undefined };
    count += 1;
    calls.set(index, call);
    waiting.push(call);
    return call;
  };
  const rest = (call: OpenCall): ContentPiece => {
    const text = call.text.slice(call.sent ?? 0);
    call.sent = call.text.length;
    return { kind: 'call', call: call.head, text };
  };
  /** The first call, and those after it for which it makes way. */
  const flow = (hasMore: boolean): ContentPiece[] => {
    const pieces: ContentPiece[] = [];
    for (let [first] = waiting; first; [first] = waiting) {
      if (first.sent !== first.text.length) pieces.push(rest(first));
      const makesWay = waiting.length > 1 || heldBack.length > 0;
      if (hasMore && !(makesWay && isComplete(first.text))) return pieces;
      waiting = waiting.slice(1);
    }
    pieces.push(...heldBack);
    heldBack = [];
    return pieces;
  };

  return {
    take(delta) {
      const texts = textsOf(delta);
      const isFree = waiting.length === 0;
      if (!isFree) heldBack.push(...texts);
      for (const call of delta.tool_calls ?? []) callOf(call).text += call.function?.arguments ?? '';
      return isFree ? [...texts, ...flow(true)] : flow(true);
    },
    end: () => flow(false),
  };
}

function textsOf(delta: ChunkDelta): ContentPiece[] {
  const thought = delta.reasoning_content ?? delta.reasoning;
  const said = delta.content || delta.refusal;
  return [
    ...(thought ? [{ kind: 'thinking', text: thought } as const] : []),
    ...(said ? [{ kind: 'text', text: said } as const] : []),
  ];
}

function isComplete(text: string): boolean {
  if (!text.trimEnd().endsWith('}')) return false;
  try {
    parseJsonText(text);
    return true;
  } catch {
    return false;
  }
}
