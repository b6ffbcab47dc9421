import type { ChatRequest, Json } from '../../shapes/chat.ts';
import { DONE_TEXT, eventText, type EventEncoder } from '../../streams/stream.ts';
import { chatSyntax, requestsUsage } from '../chat/format.ts';
import { type AnswerFacts, type ClientWire, refuse, isAbsent, textAt } from '../request-members.ts';
import { foreignText } from '../foreign-json.ts';

/** `/v1/completions`, OpenAI's API from before chat. @see https://platform.openai.com/docs/api-reference/completions */
export const completionsWire: ClientWire = {
  toChat,
  fromChat: ({ id, created, model, choices, usage }) => ({
    id,
    object: 'text_completion',
    created,
    model,
    choices: choices.map(({ index, message, finish_reason: finish }) => ({
      text: foreignText(message.content, '`content`') || (message.refusal ?? ''),
      index,
      logprobs: null,
      finish_reason: finish,
    })),
    usage,
  }),
  encoder: completionsEncoder,
  syntax: chatSyntax,
  renames: (json, model) =>
    typeof json['model'] === 'string' ? { model: JSON.stringify(model) } : undefined,
};

/**
 * Members that cannot be translated: they require a model that continues the prompt's text, or token
 * probabilities in this API's format.
 */
const UNSUPPORTED = ['suffix', 'echo', 'logprobs', 'best_of'];

/** The prompt becomes a user message, because chat APIs provide no other way to continue a text. */
function toChat(body: Json): ChatRequest {
  const found = UNSUPPORTED.find(
    (name) => !isAbsent(body[name]) && body[name] !== false && body[name] !== '',
  );
  if (found !== undefined && body[found] !== 1) throw refuse(`\`${found}\``);
  const { suffix: _s, echo: _e, logprobs: _l, best_of: _b, prompt, ...rest } = body;
  const [only, ...others]: readonly unknown[] = Array.isArray(prompt) ? prompt : [prompt];
  if (typeof only !== 'string' || others.length > 0) throw refuse('prompts other than a single string');
  const model = textAt(body['model'], 'model');
  return { ...rest, model, messages: [{ role: 'user', content: only }] };
}

function completionsEncoder(request: Json, { model, created }: AnswerFacts): EventEncoder {
  const wantsUsage = requestsUsage(request);
  return {
    encode: (chunks) =>
      chunks
        .filter(({ choices = [] }) => wantsUsage || choices.length > 0)
        .map(({ id, choices = [], usage, created: at }) =>
          eventText({
            id,
            object: 'text_completion',
            created: at || created,
            model,
            choices: choices.map(({ index, delta, finish_reason: finish }) => ({
              text: delta?.content ?? delta?.refusal ?? '',
              index,
              logprobs: null,
              finish_reason: finish ?? null,
            })),
            ...(wantsUsage && { usage: usage ?? null }),
          }),
        )
        .join(''),
    end: () => ({ last: '', terminal: DONE_TEXT }),
  };
}
