import { AppError } from '#contract/errors.ts';
import type { Chat, ChatReply, BackendMessage } from '../backends/backend.ts';
import { parsedOr } from '../backends/open-backend.ts';
import type { GenerationConfig } from '../work.ts';
import type { Conversation, RecordedCall, Turn } from './conversation.ts';
import { createScriptedTools, type ScriptedTools } from './scripted-tools.ts';

/** The outcome of a conversation. */
export interface FinishedConversation {
  /** The last response. If it contains calls, they are the text, as for other tasks. */
  readonly text: string;
  readonly reasoning: string | null;
  /** The last response in each turn. */
  readonly replies: readonly string[];
  readonly calls: readonly RecordedCall[];
  readonly state: unknown;
  readonly totals: Pick<ChatReply, 'promptTokens' | 'completionTokens' | 'reasoningTokens' | 'latencyMs'>;
  /** Whether all responses came from the experiment's cache. */
  readonly isShared: boolean;
}

interface ConversationContext {
  /** The system prompt and the examples. */
  readonly opening: readonly BackendMessage[];
  /** The message for a turn's text. */
  readonly messageFor: (user: string) => string;
  readonly generation: GenerationConfig;
  readonly chat: Chat;
  readonly signal: AbortSignal;
}

/** Maximum length of all messages in a conversation, so that a model in a loop cannot exhaust the memory. */
const MAX_CHARACTERS = 4_000_000;
const MAX_CALLS_PER_REPLY = 128;

/**
 * Conducts a conversation turn by turn. The model's own replies and calls stay in the conversation. Throws an AppError if
 * a call of the model fails or a limit is exceeded.
 */
export async function runConversation(
  conversation: Conversation,
  context: ConversationContext,
): Promise<FinishedConversation> {
  const { history, turns, results, state } = conversation;
  const run: Run = {
    messages: createMessages([...context.opening, ...history]),
    tools: results && createScriptedTools(results, state),
    calls: [],
    made: [],
  };
  const replies: string[] = [];
  for (const [at, turn] of turns.entries()) {
    const reply = await runTurn(turn, at + 1, conversation, run, context);
    replies.push(reply.text);
  }
  const { made, calls } = run;
  const last = made.at(-1);
  return {
    text: last?.text ?? '',
    reasoning: last?.reasoning ?? null,
    replies,
    calls,
    state: run.tools ? run.tools.state() : state,
    totals: made.reduce(addReply, { promptTokens: 0, completionTokens: 0, reasoningTokens: 0, latencyMs: 0 }),
    isShared: made.every(({ isShared }) => isShared),
  };
}

interface Run {
  readonly messages: ReturnType<typeof createMessages>;
  readonly tools: ScriptedTools | undefined;
  readonly calls: RecordedCall[];
  readonly made: ChatReply[];
}

async function runTurn(
  { user }: Turn,
  number: number,
  { tools, maxSteps }: Conversation,
  run: Run,
  { messageFor, generation, chat, signal }: ConversationContext,
): Promise<ChatReply> {
  if (user !== undefined) run.messages.add({ role: 'user', content: messageFor(user) });
  const parameters: GenerationConfig = { ...generation, ...(tools && { tools }) };
  for (let step = 1; ; step++) {
    const reply = await chat(run.messages.all(), parameters, signal);
    run.made.push(reply);
    const { message } = reply;
    if (!message) {
      run.messages.add({ role: 'assistant', content: reply.text });
      return reply;
    }
    if (message.tool_calls.length > MAX_CALLS_PER_REPLY)
      throw tooMuch(
        `The model made ${message.tool_calls.length} calls in one response; the maximum is ${MAX_CALLS_PER_REPLY}.`,
      );
    run.messages.add({ role: 'assistant', ...message });
    for (const { id, function: called } of message.tool_calls) {
      const given = parsedOr(called.arguments);
      run.calls.push({ turn: number, name: called.name, arguments: given });
      // Providers reject a conversation in which a call has no result.
      const content = run.tools?.call(called.name, given) ?? NO_RESULT;
      run.messages.add({ role: 'tool', tool_call_id: id, content });
    }
    if (!run.tools || step === maxSteps) return reply;
  }
}

/** The result of a call if the row has no results: the turn has ended. */
const NO_RESULT = 'null';

function createMessages(first: readonly BackendMessage[]) {
  const messages: BackendMessage[] = [];
  let characters = 0;
  const add = (message: BackendMessage): void => {
    characters += JSON.stringify(message).length;
    if (characters > MAX_CHARACTERS)
      throw tooMuch(`The conversation has more than ${MAX_CHARACTERS} characters.`);
    messages.push(message);
  };
  for (const message of first) add(message);
  return { add, all: (): readonly BackendMessage[] => [...messages] };
}

const tooMuch = (message: string): AppError =>
  new AppError('UpstreamError', message, { reason: 'conversation_limit' });

const addReply = (sum: FinishedConversation['totals'], reply: ChatReply): FinishedConversation['totals'] => ({
  promptTokens: sum.promptTokens + reply.promptTokens,
  completionTokens: sum.completionTokens + reply.completionTokens,
  reasoningTokens: sum.reasoningTokens + reply.reasoningTokens,
  latencyMs: sum.latencyMs + reply.latencyMs,
});
