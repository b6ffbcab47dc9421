import {
  hint,
  listOf,
  objectOf,
  optionalShape,
  type ShapeOfParams,
  type Shape,
  Malformed,
  rejectShape,
  refuseMember,
  flagShape,
  isRecord,
  textShape,
  wholeNumberShape,
  base64,
  record,
  role,
  annotations,
} from './shape.ts';
import { resource } from './listed.ts';

const HINTS = { annotations: hint(annotations), _meta: hint(record) } as const;

const contentsMembers = objectOf({
  uri: textShape,
  mimeType: hint(textShape),
  text: optionalShape(textShape),
  blob: optionalShape(base64),
  _meta: hint(record),
});

/** Resource contents: text or binary data. */
const resourceContents: Shape<ShapeOfParams> = (value) => {
  const contents = contentsMembers(value);
  if (contents['text'] !== undefined || contents['blob'] !== undefined) return contents;
  throw new Malformed('', 'has neither `text` nor `blob`');
};

const media = objectOf({ data: base64, mimeType: textShape, ...HINTS });

const BLOCKS: ReadonlyMap<unknown, Shape> = new Map<unknown, Shape>([
  ['text', objectOf({ text: textShape, ...HINTS })],
  ['image', media],
  ['audio', media],
  ['resource_link', resource],
  ['resource', objectOf({ resource: resourceContents, ...HINTS })],
]);

/** A content block in a tool result or prompt message. */
const contentBlock: Shape = (value) => {
  if (!isRecord(value)) return rejectShape(value, 'an object');
  const shape = BLOCKS.get(value['type']);
  if (shape) return shape(value);
  const types = [...BLOCKS.keys()].map((type) => JSON.stringify(type));
  return refuseMember('type', value['type'], `one of ${types.join(', ')}`);
};

export interface ToolResult extends ShapeOfParams {
  readonly content?: readonly ContentBlock[] | undefined;
  readonly structuredContent?: unknown;
  readonly isError?: boolean | undefined;
}

export interface ContentBlock extends ShapeOfParams {
  readonly type: string;
  readonly text?: string | undefined;
}

const TASK = 'io.modelcontextprotocol/related-task';

const META = {
  _meta: hint(
    objectOf({
      progressToken: hint((value) => (typeof value === 'string' ? value : wholeNumberShape(value))),
      [TASK]: hint(objectOf({ taskId: textShape })),
    }),
  ),
} as const;

const toolMembers = objectOf({
  content: (value) => (value === undefined || value === null ? [] : listOf(contentBlock)(value)),
  isError: optionalShape(flagShape),
  ...META,
});

/** The result of `tools/call`. It can consist of structured content alone. */
export const toolResultShape: Shape<ToolResult> = (value) => {
  const shaped = toolMembers(value) as ToolResult & { content: readonly unknown[] };
  if (shaped.structuredContent === undefined || isRecord(shaped.structuredContent)) return shaped;
  const { structuredContent, ...result } = shaped;
  if (structuredContent === null) return result;
  // Clients of revisions before 2026-07-28 would reject anything other than an object here.
  if (result.content.length > 0) return result;
  return { ...result, content: [{ type: 'text', text: JSON.stringify(structuredContent) }] };
};

/** The result of `prompts/get`. */
export const promptResult: Shape<ShapeOfParams> = objectOf({
  description: hint(textShape),
  messages: listOf(objectOf({ role, content: contentBlock })),
  ...META,
});

/** The result of `resources/read`. */
export const readResult: Shape<ShapeOfParams & { readonly contents: readonly ShapeOfParams[] }> = objectOf({
  contents: listOf(resourceContents),
  ...META,
});

/** Maximum number of completion values according to MCP. */
const MAX_VALUES = 100;

const completionMembers = objectOf({
  values: listOf(textShape),
  total: hint(wholeNumberShape),
  hasMore: hint(flagShape),
});

/** The result of `completion/complete`. */
export const completionResult: Shape<ShapeOfParams> = objectOf({
  completion: (value) => {
    const completion = completionMembers(value);
    const { values } = completion;
    if (values.length <= MAX_VALUES) return completion;
    return { ...completion, values: values.slice(0, MAX_VALUES), hasMore: true };
  },
  ...META,
});
