import type { ChatChunk, ChatRequest, ToolCall, ToolCallDelta } from '../shapes/chat.ts';
import { signatureIn, withSignature } from '../wires/thought-signatures.ts';

// Some agents return calls with their IDs but without their signatures: clients of chat completions, and
// Claude Code without thinking. Signatures are therefore kept in memory, keyed by the request's payer and
// the call ID. If a signature is missing, because another gateway has it or this gateway was restarted, the
// placeholder that Google documents is sent to the provider, so that the conversation can continue.

/** Maximum total size of all signatures, in characters. The oldest ones are dropped first. */
const MAX_SIZE = 32 * 1024 * 1024;

export interface SignatureMemory {
  keep(owner: string, calls: readonly (ToolCall | ToolCallDelta)[] | null | undefined): void;
  /** Keeps the signatures contained in part of a stream. */
  keepChunk(owner: string, chunk: ChatChunk): void;
  /** Adds the missing signatures to the calls in a request. */
  complete(owner: string, chat: ChatRequest): ChatRequest;
}

export function createSignatureMemory(maxSize = MAX_SIZE): SignatureMemory {
  const kept = new Map<string, string>();
  let size = 0;
  const keyOf = (owner: string, id: string): string => JSON.stringify([owner, id]);
  const forget = (key: string): void => {
    const found = kept.get(key);
    if (found === undefined) return;
    kept.delete(key);
    size -= key.length + found.length;
  };
  const remember = (key: string, signature: string): void => {
    forget(key);
    if (key.length + signature.length > maxSize) return;
    kept.set(key, signature);
    size += key.length + signature.length;
    for (const [oldest] of kept) {
      if (size <= maxSize) return;
      forget(oldest);
    }
  };
  const keep: SignatureMemory['keep'] = (owner, calls) => {
    for (const { id, extra_content: extra } of calls ?? []) {
      const signature = signatureIn(extra);
      if (id !== undefined && signature !== undefined) remember(keyOf(owner, id), signature);
    }
  };
  return {
    keep,
    keepChunk(owner, { choices = [] }) {
      for (const { delta } of choices) keep(owner, delta?.tool_calls);
    },
    complete(owner, chat) {
      if (kept.size === 0) return chat;
      const completed = (call: ToolCall): ToolCall =>
        signatureIn(call.extra_content) === undefined
          ? { ...call, ...withSignature(kept.get(keyOf(owner, call.id))) }
          : call;
      const messages = chat.messages.map((message) =>
        message.tool_calls ? { ...message, tool_calls: message.tool_calls.map(completed) } : message,
      );
      return { ...chat, messages };
    },
  };
}
