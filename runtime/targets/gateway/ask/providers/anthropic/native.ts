import { parseJsonText } from '../../../../../core/json/json-text.ts';
import type { EventDecoder } from '../../streams/stream.ts';
import { outputTexts } from '../../streams/output-texts.ts';
import type { ChatCompletion, Json } from '../../shapes/chat.ts';
import { readAnswer } from './answer.ts';
import type { AnthropicMessage } from '../../shapes/messages.ts';
import { anthropicDecoder } from './stream.ts';

// Clients of Anthropic's own API see the whole answer, including content that the internal format cannot express, for example
// calls of tools that Anthropic runs itself. Guardrails and usage tracking must see that content too.

/** Types of content that `readAnswer` translates. */
const TRANSLATED_TYPES = new Set(['text', 'thinking', 'tool_use']);

export function readNativeAnswer(body: Json): ChatCompletion {
  const message = body as AnthropicMessage;
  const answer = readAnswer(message);
  const others = message.content.filter(({ type }) => !TRANSLATED_TYPES.has(type)).flatMap(outputTexts);
  if (others.length === 0) return answer;
  return {
    ...answer,
    choices: answer.choices.map((choice) => {
      const content = [...outputTexts(choice.message.content), ...others].join('');
      return { ...choice, message: { ...choice.message, content } };
    }),
  };
}

export function nativeDecoder(): EventDecoder {
  const decode = anthropicDecoder();
  return (event, data) => {
    const step = decode(event, data);
    if (step.kind !== 'nothing') return step;
    const { content_block: block, delta } = parseJsonText(data) as Json;
    const content = outputTexts([block, delta]).join('');
    if (content === '') return step;
    return { kind: 'chunks', chunks: [{ choices: [{ index: 0, delta: { content } }] }] };
  };
}
