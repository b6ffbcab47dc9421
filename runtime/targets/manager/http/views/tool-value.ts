import { parseLossless } from '#core/json/lossless-json.ts';
import type { ContentBlock, ToolResult } from '../../shapes/results.ts';
import { isRecord } from '../../shapes/shape.ts';

/**
 * Converts the result of a tool to one JSON value, as mcpo does for Open WebUI: a text that is JSON becomes its value, an image a
 * data URL, and a result with several parts a list. A result without content is its structured content.
 */
export function toolValue({ content = [], structuredContent }: ToolResult): unknown {
  if (content.length === 0 && structuredContent !== undefined) return structuredContent;
  const values = content.map(blockValue);
  return values.length === 1 ? values[0] : values;
}

function blockValue(block: ContentBlock): unknown {
  switch (block.type) {
    case 'text':
      return textValue(block.text);
    case 'image':
    case 'audio':
      return dataUrl(block['mimeType'], block['data']);
    case 'resource':
      return resourceValue(block['resource']);
    case 'resource_link':
      return block['uri'];
    default:
      return block;
  }
}

function resourceValue(resource: unknown): unknown {
  if (!isRecord(resource)) return resource;
  const { text, blob, mimeType } = resource;
  return text === undefined ? dataUrl(mimeType, blob) : textValue(text);
}

function textValue(text: unknown): unknown {
  try {
    return parseLossless(String(text));
  } catch {
    return text;
  }
}

const dataUrl = (mimeType: unknown, data: unknown): string =>
  `data:${typeof mimeType === 'string' ? mimeType : 'application/octet-stream'};base64,${String(data)}`;
