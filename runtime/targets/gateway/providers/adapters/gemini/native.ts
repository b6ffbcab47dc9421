import { parseJsonText } from '#core/json/json-text.ts';
import { membersOf } from '#core/json/members-of.ts';
import type { ChatCompletion, Json } from '../../shapes/chat.ts';
import { outputTexts } from '../../streams/output-texts.ts';
import type { EventDecoder } from '../../streams/stream.ts';
import { readAnswer } from './answer.ts';
import { geminiDecoder } from './stream.ts';
import type { GeminiAnswer } from './shape.ts';

// Clients of Gemini's own API see the whole answer, including parts that the internal format cannot express, for example code that
// Google runs. Guardrails and usage tracking must see them too.

/** Members of parts that are translated, or are not output of the model. */
const TRANSLATED = new Set(['text', 'thought', 'thoughtSignature', 'functionCall', 'inlineData', 'fileData']);

function otherOutput(body: Json): string {
  const { candidates = [] } = body as GeminiAnswer;
  const parts = candidates.flatMap(({ content }) => content?.parts ?? []);
  return parts
    .flatMap((part) => Object.entries(part).filter(([name]) => !TRANSLATED.has(name)))
    .flatMap(([, value]) => outputTexts(value))
    .join('');
}

export function readNativeAnswer(body: Json): ChatCompletion {
  const answer = readAnswer(body);
  const others = otherOutput(body);
  if (others === '') return answer;
  const choices = answer.choices.map((choice, at) =>
    at > 0
      ? choice
      : {
          ...choice,
          message: { ...choice.message, content: outputTexts(choice.message.content).join('') + others },
        },
  );
  return { ...answer, choices };
}

export function nativeDecoder(): EventDecoder {
  const decode = geminiDecoder();
  return (event, data) => {
    const step = decode(event, data);
    if (step.kind === 'error') return step;
    const content = otherOutput(membersOf(parseJsonText(data)));
    if (content === '') return step;
    const chunk = { choices: [{ index: 0, delta: { content } }] };
    return { ...step, kind: 'chunks', chunks: [chunk, ...('chunks' in step ? (step.chunks ?? []) : [])] };
  };
}
