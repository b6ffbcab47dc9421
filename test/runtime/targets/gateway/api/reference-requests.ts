import type { ObjectKind } from '#gateway/accounts/objects/objects.ts';
import { REFERENCE_NAMES } from '#gateway/providers/references.ts';

/** Objects that belong to ann, by kind. */
export const FOREIGN = {
  file: 'file-of-ann-000000000000',
  response: 'resp_of_ann_000000000000',
  item: 'msg_of_ann_000000000000000',
  batch: 'batch_of_ann_0000000000000',
} as const satisfies Record<ObjectKind, string>;
export const OWN = 'file-of-eve-111111111111';

const { file, response, item } = FOREIGN;
const address = `https://generativelanguage.googleapis.com/v1beta/files/${file}?alt=media`;

/** Members with every known name. */
export const NAMED: readonly string[] = [...REFERENCE_NAMES].map((name) => `"${name}":"${file}"`);

/** Members as JSON, each of which references an object of ann. */
export const SHAPES: readonly string[] = [
  ...[
    { file_id: file },
    { file_id: [OWN, file] },
    { file_ids: [OWN, file] },
    { fileId: file },
    { File_ID: file },
    { 'file-id': file },
    { file_id: ` ${file} ` },
    { image: { file_id: file } },
    { source: { type: 'file', file_id: file } },
    { content: [{ type: 'container_upload', file_id: file }] },
    { content: [{ type: 'file', file: { file_id: file } }] },
    { content: [{ type: 'text', text: `fileid://${OWN},fileid://${file}` }] },
    { content: `fileid://${file}` },
    { container: { type: 'auto', file_ids: [file] } },
    { container: item },
    { container: { id: item, skills: [] } },
    { fileData: { fileUri: address } },
    { file_data: { file_uri: address } },
    { fileData: { fileUri: `files/${file}` } },
    { cachedContent: `cachedContents/${item}` },
    { type: 'item_reference', id: item },
    { id: item },
    { type: null, id: item },
    { type: 'message', id: item, role: 'assistant', content: 'x' },
    { previous_response_id: response },
    { conversation: item },
    { conversation: { id: item } },
    { vector_store_ids: [item] },
    { tool_resources: { code_interpreter: { file_ids: [file] }, file_search: { vector_store_ids: [item] } } },
    { attachments: [{ file_id: file, tools: [{ type: 'file_search' }] }] },
    { thread_id: item, assistant_id: item },
    { input_file_id: file },
    { batch_id: FOREIGN.batch },
    { thing_of_tomorrow_id: file },
    { things_of_tomorrow_ids: [OWN, file] },
    { 'file_ids[]': file },
    { 'image[0][file_id]': file },
  ].map((shape) => JSON.stringify(shape).slice(1, -1)),
  // V8 reads escaped names correctly only if they are spelled out first (nodejs/node#63785).
  String.raw`"file\u005fid":"${file}"`,
  String.raw`"\u0066\u0069\u006c\u0065_id":"${file}"`,
  String.raw`"file_id":"\u0066${file.slice(1)}"`,
];

export const SAID = '"role":"user","content":"Hello"';
/** Requests for each route, with a place for members at the top level and one nested. */
export const BODIES: Readonly<Record<string, (top: string, inside: string) => string>> = {
  '/v1/chat/completions': (top, inside) =>
    `{"model":"openai:m"${top},"messages":[{${SAID}},{${SAID}${inside}}]}`,
  '/v1/messages': (top, inside) =>
    `{"model":"anthropic:m","max_tokens":5${top},"messages":[{${SAID}},{${SAID}${inside}}]}`,
  '/v1/responses': (top, inside) => `{"model":"openai:m"${top},"input":[{${SAID}},{"x":1${inside}}]}`,
  '/v1/embeddings': (top, inside) => `{"model":"openai:m","input":"x"${top},"x":{"x":1${inside}}}`,
  '/v1/classify': (top, inside) => `{"model":"openai:m","input":"x"${top},"x":{"x":1${inside}}}`,
  '/v1/completions': (top, inside) => `{"model":"openai:m","prompt":"x"${top},"x":{"x":1${inside}}}`,
  '/v1/moderations': (top, inside) => `{"model":"openai:m","input":[{"type":"text"${inside}}]${top}}`,
  '/v1/rerank': (top, inside) => `{"model":"openai:m","query":"x","documents":[{"text":"x"${inside}}]${top}}`,
  '/v1/images/generations': (top, inside) => `{"model":"openai:m","prompt":"x"${top},"x":{"x":1${inside}}}`,
  '/v1/audio/speech': (top, inside) => `{"model":"openai:m","input":"x"${top},"x":{"x":1${inside}}}`,
  '/v1beta/models/{model}:generateContent': (top, inside) =>
    `{"contents":[{"role":"user","parts":[{"text":"x"${inside}}]}]${top}}`,
  '/v1beta/models/{model}:streamGenerateContent': (top, inside) =>
    `{"contents":[{"role":"user","parts":[{"text":"x"${inside}}]}]${top}}`,
  '/v1beta/models/{model}:embedContent': (top, inside) =>
    `{"content":{"parts":[{"text":"x"${inside}}]}${top}}`,
  '/v1beta/models/{model}:batchEmbedContents': (top, inside) =>
    `{"requests":[{"content":{"parts":[{"text":"x"}]}${inside}}]${top}}`,
  '/v1beta/models/{model}:countTokens': (top, inside) =>
    `{"contents":[{"role":"user","parts":[{"text":"x"${inside}}]}]${top}}`,
  '/v1/messages/count_tokens': (top, inside) =>
    `{"model":"anthropic:m"${top},"messages":[{${SAID}},{${SAID}${inside}}]}`,
  '/v1/responses/input_tokens': (top, inside) =>
    `{"model":"openai:m"${top},"input":[{${SAID}},{"x":1${inside}}]}`,
  '/v1/batches': (top, inside) =>
    `{"input_file_id":"${OWN}","endpoint":"/v1/responses","completion_window":"24h"${top},"metadata":{"x":"1"${inside}}}`,
};

/** The route for an Azure path. */
export const routeOf = (path: string): string =>
  path.replace(/^\/openai\/deployments\/\{model\}|^\/openai\/v1|^\/openai/, '/v1');

/** Routes that take forms. */
export const FORMS: Readonly<Record<string, Record<string, string>>> = {
  '/v1/audio/transcriptions': { model: 'openai:m' },
  '/v1/audio/translations': { model: 'openai:m' },
  '/v1/files': { purpose: 'user_data', provider: 'openai' },
};

/** The model in the path, and the body. */
export const requestOf = (
  path: string,
  shape: string,
  isInside: boolean,
): readonly [string, string] | undefined => {
  const more = `,${shape}`;
  const body = BODIES[routeOf(path)]?.(isInside ? '' : more, isInside ? more : '');
  return body === undefined
    ? undefined
    : [path.replace('{model}', path.startsWith('/openai/') ? 'openai:m' : 'gemini:m'), body];
};
