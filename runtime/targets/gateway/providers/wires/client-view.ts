import type { EventEncoder } from '../streams/stream.ts';
import type {
  ChatChunk,
  ChatCompletion,
  ChatRequest,
  ChunkDelta,
  ToolCall,
  ToolCallDelta,
} from '../shapes/chat.ts';

export interface ClientView {
  /** Tool names that were changed for the provider. */
  readonly originals: ReadonlyMap<string, string> | undefined;
  /** A notice for the client, which is inserted before the response. */
  readonly notice: string | undefined;
}

/** A stream encoder that restores the client's tool names and inserts a notice before the first chunk. */
export function clientEncoder(encoder: EventEncoder, { originals, notice }: ClientView): EventEncoder {
  if (!originals && notice === undefined) return encoder;
  let pending = notice;
  return {
    ...encoder,
    encode(chunks) {
      const named = originals ? chunks.map((chunk) => chunkWithOriginalNames(chunk, originals)) : chunks;
      const [first] = named;
      if (pending === undefined || !first) return encoder.encode(named);
      const before = noticeChunk(first, pending);
      pending = undefined;
      return encoder.encode([before, ...named]);
    },
  };
}

// Tool names that one API accepts can be invalid in another: names can have up to 128 characters in
// Anthropic's API but only 64 in OpenAI's, and names of MCP tools can contain dots. Providers therefore
// receive names that all APIs accept, and calls are converted back to the client's names.

const MAX_LENGTH = 64;

const VALID = /^[a-zA-Z_][\w-]{0,63}$/;

/**
 * A request whose tool names are valid in every API, and the client's original names, keyed by the new
 * ones; undefined if no names had to be changed.
 */
interface ProviderNames {
  readonly chat: ChatRequest;
  readonly originals: ReadonlyMap<string, string> | undefined;
}

export function withProviderNames(chat: ChatRequest): ProviderNames {
  const used = [
    ...(chat.tools ?? []).map((tool) => tool.function?.name ?? ''),
    ...chat.messages.flatMap(({ tool_calls: calls }) => (calls ?? []).map((call) => call.function.name)),
  ].filter((name) => name !== '');
  if (used.every((name) => VALID.test(name))) return { chat, originals: undefined };
  const names = new Map<string, string>();
  const taken = new Set(used.filter((name) => VALID.test(name)));
  for (const name of used) {
    if (VALID.test(name) || names.has(name)) continue;
    const valid = freeName(name, taken);
    taken.add(valid);
    names.set(name, valid);
  }
  const nameOf = (name: string): string => names.get(name) ?? name;
  const { tool_choice: choice } = chat;
  const chosen = typeof choice === 'object' ? choice?.function : undefined;
  return {
    chat: {
      ...chat,
      ...(chat.tools && { tools: chat.tools.map((tool) => renamed(tool, nameOf)) }),
      ...(typeof choice === 'object' && choice && chosen && { tool_choice: renamed(choice, nameOf) }),
      messages: chat.messages.map((message) =>
        message.tool_calls
          ? { ...message, tool_calls: message.tool_calls.map((call) => renamed(call, nameOf)) }
          : message,
      ),
    },
    originals: new Map([...names].map(([name, valid]) => [valid, name])),
  };
}

/**
 * A name that consists of the readable part of the original and a number, which is the same in every
 * request with the same tools.
 */
function freeName(name: string, taken: ReadonlySet<string>): string {
  const readable = name.replaceAll(/[^\w-]/g, '_').replace(/^(?![a-zA-Z_])/, '_');
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? '' : `_${number}`;
    const found = readable.slice(0, MAX_LENGTH - suffix.length) + suffix;
    if (!taken.has(found)) return found;
  }
}

interface Named {
  readonly function?: { readonly name?: string };
}

function renamed<Value extends Named>(value: Value, nameOf: (name: string) => string): Value {
  const { function: called } = value;
  return called?.name === undefined
    ? value
    : { ...value, function: { ...called, name: nameOf(called.name) } };
}

/** A response with the client's tool names. */
export function withOriginalNames(
  answer: ChatCompletion,
  originals: ReadonlyMap<string, string> | undefined,
): ChatCompletion {
  if (!originals) return answer;
  const choices = answer.choices.map((choice) => {
    const { tool_calls: calls } = choice.message;
    if (!calls) return choice;
    const restored = calls.map((call: ToolCall) => renamed(call, (name) => originals.get(name) ?? name));
    return { ...choice, message: { ...choice.message, tool_calls: restored } };
  });
  return { ...answer, choices };
}

/** A chunk with the client's tool names. */
function chunkWithOriginalNames(chunk: ChatChunk, originals: ReadonlyMap<string, string>): ChatChunk {
  const restored = (delta: ChunkDelta): ChunkDelta =>
    delta.tool_calls
      ? {
          ...delta,
          tool_calls: delta.tool_calls.map((call: ToolCallDelta) =>
            renamed(call, (name) => originals.get(name) ?? name),
          ),
        }
      : delta;
  const choices = chunk.choices?.map((choice) =>
    choice.delta ? { ...choice, delta: restored(choice.delta) } : choice,
  );
  return { ...chunk, ...(choices && { choices }) };
}

// The first response in a conversation lists the dropped tools in its reasoning: agents show the reasoning
// to their users, but programs that process the text of a response are not affected by it.

/** The sentence about dropped tools; undefined if there are none, or if an earlier response contained it. */
export function droppedNotice({ messages }: ChatRequest, dropped: readonly string[]): string | undefined {
  if (dropped.length === 0 || messages.some(({ role }) => role === 'assistant')) return undefined;
  const names = [...new Set(dropped)].map((name) => `\`${name}\``).join(', ');
  return `[gateway] The provider of this model does not support these tools, so they were left out: ${names}.\n\n`;
}

export function withNotice(answer: ChatCompletion, notice: string | undefined): ChatCompletion {
  const [first, ...others] = answer.choices;
  if (notice === undefined || !first) return answer;
  const { reasoning_content: thought } = first.message;
  const message = { ...first.message, reasoning_content: `${notice}${thought ?? ''}` };
  return { ...answer, choices: [{ ...first, message }, ...others] };
}

/** The chunk that is inserted before the first chunk of a stream. */
const noticeChunk = (first: ChatChunk, notice: string): ChatChunk => ({
  ...first,
  usage: null,
  choices: [{ index: 0, delta: { role: 'assistant', reasoning_content: notice }, finish_reason: null }],
});
