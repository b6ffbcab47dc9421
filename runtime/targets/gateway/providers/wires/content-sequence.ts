import { parseJsonText } from '#core/json/json-text.ts';
import type { ChunkDelta, ToolCallDelta } from '../shapes/chat.ts';
import { signatureIn } from './thought-signatures.ts';
import { pushAll } from '#core/values/push-all.ts';

/** A piece of model output. All pieces of a tool call are consecutive. */
export type ContentPiece =
  | { readonly kind: 'thinking'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  /** The signature of the surrounding text. */
  | { readonly kind: 'signature'; readonly text: string }
  | { readonly kind: 'call'; readonly call: CallHead; readonly text: string };

/** The tool call that the piece belongs to. All pieces of a call refer to the same object. */
export interface CallHead {
  /** The index of the call among the calls in the stream, starting at 0. */
  readonly number: number;
  /** The call's ID; undefined if the provider did not send one. */
  readonly id: string | undefined;
  readonly name: string;
  /** The provider's signature of the call. */
  readonly signature: string | undefined;
}

export interface ContentSequence {
  /** Adds a delta and returns the pieces that can be sent now. */
  take(delta: ChunkDelta): ContentPiece[];
  /** Returns everything that was held back. */
  end(): ContentPiece[];
}

interface OpenCall {
  readonly head: CallHead;
  /** The arguments received so far. */
  text: string;
  /** Number of characters of the arguments that have been sent; undefined before the first piece. */
  sent: number | undefined;
}

/**
 * Orders the content of a stream. Providers can interleave several tool calls, which are identified by
 * `index`, but in Anthropic's API and OpenAI's Responses API, each block must end before the next one
 * starts. The first call is sent as it arrives, and all other content is held back until the arguments of
 * that call are complete.
 */
export function createContentSequence(): ContentSequence {
  /**
   * Calls by the provider's index. Some providers use the same index for several calls, which can then be
   * distinguished by their IDs.
   */
  const calls = new Map<number, OpenCall>();
  /** Calls that have started but are not complete, in order. The first one is currently being sent. */
  let waiting: OpenCall[] = [];
  /** Text that arrived after an incomplete call. */
  let heldBack: ContentPiece[] = [];
  let count = 0;

  const callOf = ({ index, id, function: called, extra_content: extra }: ToolCallDelta): OpenCall => {
    const known = calls.get(index);
    const isAnother = known && id !== undefined && id !== known.head.id && (called?.name ?? '') !== '';
    if (known && !isAnother) return known;
    const head = { number: count, id, name: called?.name ?? '', signature: signatureIn(extra) };
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
  /** The new pieces of the first call and, once that call is complete, of the following calls. */
  const flow = (hasMore: boolean): ContentPiece[] => {
    const pieces: ContentPiece[] = [];
    for (let [first] = waiting; first; [first] = waiting) {
      if (first.sent !== first.text.length) pieces.push(rest(first));
      const hasSuccessor = waiting.length > 1 || heldBack.length > 0;
      if (hasMore && !(hasSuccessor && isComplete(first.text))) return pieces;
      waiting = waiting.slice(1);
    }
    pushAll(pieces, heldBack);
    heldBack = [];
    return pieces;
  };

  return {
    take(delta) {
      const texts = textsOf(delta);
      const isFree = waiting.length === 0;
      if (!isFree) pushAll(heldBack, texts);
      for (const call of delta.tool_calls ?? []) callOf(call).text += call.function?.arguments ?? '';
      return isFree ? [...texts, ...flow(true)] : flow(true);
    },
    end: () => flow(false),
  };
}

function textsOf(delta: ChunkDelta): ContentPiece[] {
  const thought = delta.reasoning_content ?? delta.reasoning;
  const text = delta.content || delta.refusal;
  const signature = signatureIn(delta.extra_content);
  return [
    ...(thought ? [{ kind: 'thinking', text: thought } as const] : []),
    ...(signature === undefined ? [] : [{ kind: 'signature', text: signature } as const]),
    ...(text ? [{ kind: 'text', text } as const] : []),
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
