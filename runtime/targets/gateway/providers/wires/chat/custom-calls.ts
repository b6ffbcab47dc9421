import type { ChatChunk, ChunkChoice, ToolCallDelta } from '../../shapes/chat.ts';
import { customInput } from '../custom-tools.ts';

interface OpenCall {
  readonly choice: number;
  readonly index: number;
  readonly id: string | undefined;
  readonly name: string;
  readonly extra: ToolCallDelta['extra_content'];
  args: string;
}

/**
 * Turns calls of functions that were custom tools into calls of those tools again. Their text is a member of the arguments, so it is
 * held back until the arguments are complete, which is when the next call or the end of the choice comes.
 */
export function createCustomCalls(customs: ReadonlySet<string>): (chunk: ChatChunk) => ChatChunk {
  const open = new Map<string, OpenCall>();
  const keyOf = (choice: number, index: number): string => `${choice} ${index}`;

  /** The calls of a choice that are complete, as deltas, except the one that continues. */
  const closed = (choice: number, current?: number): ToolCallDelta[] => {
    const done = [...open.values()].filter((call) => call.choice === choice && call.index !== current);
    for (const { index } of done) open.delete(keyOf(choice, index));
    return done.map(deltaOf);
  };
  const take = (choice: number, delta: ToolCallDelta): ToolCallDelta[] => {
    const { index, id, function: called, extra_content: extra } = delta;
    const known = open.get(keyOf(choice, index));
    const isNew =
      (called?.name ?? '') !== '' && (known === undefined || (id !== undefined && id !== known.id));
    if (known && !isNew) {
      known.args += called?.arguments ?? '';
      return [];
    }
    const before = closed(choice);
    if (!called || !customs.has(called.name ?? '')) return [...before, delta];
    const args = called.arguments ?? '';
    open.set(keyOf(choice, index), { choice, index, id, name: called.name ?? '', extra, args });
    return before;
  };
  const restored = (choice: ChunkChoice): ChunkChoice => {
    const { index, delta, finish_reason: finish } = choice;
    const calls = (delta?.tool_calls ?? []).flatMap((call) => take(index, call));
    const all = finish ? [...calls, ...closed(index)] : calls;
    if (all.length === 0 && !delta?.tool_calls) return choice;
    return { ...choice, delta: { ...delta, tool_calls: all.length > 0 ? all : null } };
  };
  return (chunk) => (chunk.choices ? { ...chunk, choices: chunk.choices.map(restored) } : chunk);
}

const deltaOf = ({ index, id, name, extra, args }: OpenCall): ToolCallDelta => ({
  index,
  ...(id !== undefined && { id }),
  type: 'custom',
  custom: { name, input: customInput(args) },
  ...(extra && { extra_content: extra }),
});
