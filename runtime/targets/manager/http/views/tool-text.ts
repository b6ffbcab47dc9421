import type { ContentBlock, ToolResult } from '../../shapes/results.ts';

/**
 * The result of a tool as one text, which is all the contract has room for: its text blocks with line breaks between them;
 * else its structured content; else its content, both as JSON. A result without any content is an empty text.
 */
export function toolText({ content = [], structuredContent }: ToolResult): string {
  const texts = content.filter(isText).map(({ text }) => text);
  if (texts.length > 0) return texts.join('\n');
  if (structuredContent !== undefined) return JSON.stringify(structuredContent);
  return content.length === 0 ? '' : JSON.stringify(content);
}

const isText = (block: ContentBlock): block is ContentBlock & { text: string } =>
  block.type === 'text' && typeof block.text === 'string';
