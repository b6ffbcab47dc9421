import { parseJsonText } from '../../../../../core/json/json-text.ts';
import type { EventDecoder } from '../../streams/stream.ts';
import { writtenTexts } from '../../streams/written-texts.ts';
import type { ChatCompletion, Json } from '../../shapes/chat.ts';
import { readAnswer } from './answer.ts';
import type { AnthropicMessage } from '../../shapes/messages.ts';
import { anthropicDecoder } from './stream.ts';

// Clients of Anthropic's own wire see all of an answer, also what the inner shape has no word for, as the calls of tools that
// Anthropic runs itself. Guardrails and accounts are to see it too.

const NAMED = new Set(['text', 'thinking', 'tool_use']);

export function readNativeAnswer(body: Json): ChatCompletion {
  const message = body as AnthropicMessage;
  const answer = readAnswer(message);
  const others = message.content.filter(({ type }) => !NAMED.has(type)).flatMap(writtenTexts);
  if (others.length === 0) return answer;
  return {
    ...answer,
    choices: answer.choices.map((choice) => {
      const said = [...writtenTexts(choice.message.content), ...others].join('');
      return { ...choice, message: { ...choice.message, content: said } };
    }),
  };
}

export function nativeDecoder(): EventDecoder {
  const decode = anthropicDecoder();
  return (event, data) => {
    const step = decode(event, data);
    if (step.kind !== 'nothing') return step;
    const { content_block: block, delta } = parseJsonText(data) as Json;
    const content = writtenTexts([block, delta]).join('');
    if (content === '') return step;
    return { kind: 'chunks', chunks: [{ choices: [{ index: 0, delta: { content } }] }] };
  };
}
