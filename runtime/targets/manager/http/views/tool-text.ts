import type { ContentBlock, ToolResult } from '../../shapes/results.ts';

/**
 * Converts the result of a tool to one string, the only type in the API contract: its text blocks, joined by line breaks, or
 * its structured content as JSON, or its content as JSON. A result without content becomes an empty string.
 */
export function toolText({ content = [], structuredContent }: ToolResult): string {
  const texts = content.filter(isText).map(({ text }) => text);
  if (texts.length > 0) return texts.join('\n');
  if (structuredContent !== undefined) return JSON.stringify(structuredContent);
  return content.length === 0 ? '' : JSON.stringify(content);
}

const isText = (block: ContentBlock): block is ContentBlock & { text: string } =>
  block.type === 'text' && typeof block.text === 'string';
