import type { Json } from '../wires/chat/shape.ts';

/** Where the wires keep what the model will read. */
const READ_BY_MODELS = ['messages', 'system', 'input', 'instructions', 'prompt'];
/** Members with texts; the others hold roles, ids, and data that is no text. */
const TEXTS = new Set([
  'content',
  'text',
  'arguments',
  'output',
  'input',
  'refusal',
  'reasoning_content',
  'thinking',
]);

/**
 * All texts of a request, of any wire. It looks for texts instead of following the wires, so that one in a form which the
 * gateway does not know is not overlooked.
 */
export function inputTexts(body: Json): string[] {
  const texts: string[] = [];
  const collect = (value: unknown, isText: boolean): void => {
    if (typeof value === 'string') {
      if (isText) texts.push(value);
    } else if (Array.isArray(value)) {
      for (const item of value as unknown[]) collect(item, isText);
    } else if (typeof value === 'object' && value !== null) {
      // What a tool was called with can have members of any name.
      const isCall = (value as Json)['type'] === 'tool_use';
      // Anthropic's documents of plain text.
      const isPlain = (value as Json)['type'] === 'text';
      for (const [name, member] of Object.entries(value)) {
        if (isCall && name === 'input') texts.push(JSON.stringify(member));
        else collect(member, TEXTS.has(name) || (isPlain && name === 'data'));
      }
    }
  };
  for (const name of READ_BY_MODELS) collect(body[name], true);
  return texts;
}
