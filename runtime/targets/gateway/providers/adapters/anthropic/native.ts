import { parseJsonText } from '#core/json/json-text.ts';
import type { EventDecoder } from '../../streams/stream.ts';
import { outputTexts } from '../../streams/output-texts.ts';
import type { Json } from '../../shapes/chat.ts';
import { readAnswer } from './answer.ts';
import { anthropicDecoder } from './stream.ts';
import { membersOf } from '#core/json/members-of.ts';
import { requiredObjectsIn } from '../../wires/foreign-json.ts';

// Clients of Anthropic's own API see the whole answer, including content that the internal format cannot express, for example
// calls of tools that Anthropic runs itself. Guardrails and usage tracking must see that content too.

/** Types of content that `readAnswer` translates. */
const TRANSLATED_TYPES = new Set<unknown>(['text', 'thinking', 'tool_use']);

export function readNativeAnswer(body: Json) {
  const answer = readAnswer(body);
  const others = requiredObjectsIn(body['content'], '`content`')
    .filter(({ type }) => !TRANSLATED_TYPES.has(type))
    .flatMap(outputTexts);
  if (others.length === 0) return answer;
  return {
    ...answer,
    choices: answer.choices.map((choice) => {
      const content = [...outputTexts(choice.message.content), ...others].join('');
      return { ...choice, message: { ...choice.message, content } };
    }),
  };
}

export function nativeDecoder(): EventDecoder<unknown> {
  const decode = anthropicDecoder();
  return (event, data) => {
    const step = decode(event, data);
    if (step.kind !== 'nothing') return step;
    const { content_block: block, delta } = membersOf(parseJsonText(data));
    const content = outputTexts([block, delta]).join('');
    if (content === '') return step;
    return { ...step, kind: 'chunks', chunks: [{ choices: [{ index: 0, delta: { content } }] }] };
  };
}
