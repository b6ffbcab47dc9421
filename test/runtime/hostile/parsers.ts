import { nextLink } from '#core/net/link-header.ts';
import { headerParameters } from '#core/net/header-parameters.ts';
import { addressKind } from '#core/net/public-address.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { schemaSizeProblem } from '#core/json/schema-size.ts';
import { expand } from '#core/text/expand.ts';
import { isSecretName } from '#core/text/secret-name.ts';
import { trimOf } from '#core/text/trim-text.ts';
import { documentPages } from '#gateway/requests/tokens/media-tokens.ts';
import { readRows } from '#gateway/evaluation/datasets/read/read-rows.ts';
import { labelInAnswer } from '#gateway/evaluation/work/inference/label-in-answer.ts';
import { boundaryOf, readMultipart } from '#serve/http/multipart.ts';
import { usableName } from '#manager/config/server-name.ts';
import { parseMcpServers } from '#manager/config/parse-mcp-servers.ts';
import { matchesUriTemplate } from '#manager/shared/uri-template.ts';
import { Readable } from 'node:stream';

/** A parser of external data. `start` is the beginning of its texts. Errors are also results. */
export interface HostileParser {
  readonly parse: (text: string) => unknown;
  readonly start?: string;
  /** Text to append, so that the rest is parsed. */
  readonly end?: string;
  /** Maximum length, if longer texts are rejected without parsing. */
  readonly maxLength?: number;
  /** Parts that it searches for: repeating one must not cause a new search from each position. */
  readonly parts: readonly string[];
  /** Source file, relative to `runtime/`. */
  readonly source: string;
}

/** Chunks of a few hundred bytes, as in a request. */
async function* piecesOf(text: string): AsyncGenerator<Buffer, void> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 512) yield bytes.subarray(at, at + 512);
}

const rowsOf = (filename: string) => (text: string) =>
  Array.fromAsync(readRows(filename, Readable.from(piecesOf(text))));

async function readParts(text: string): Promise<void> {
  for await (const part of readMultipart(piecesOf(text), 'b')) void part;
}

const GATEWAY = 'targets/gateway';
const DATASETS = `${GATEWAY}/evaluation/datasets/read`;

export const HOSTILE_PARSERS: Readonly<Record<string, HostileParser>> = {
  csv: {
    parse: rowsOf('a.csv'),
    parts: ['x', '"', '""', 'a,', ' ', '\n', '"a\n'],
    source: `${DATASETS}/csv.ts`,
  },
  'csv separator': {
    parse: rowsOf('a.csv'),
    start: 'examples',
    parts: ['x', ' x', ';'],
    source: `${DATASETS}/csv.ts`,
  },
  jsonl: {
    parse: rowsOf('a.jsonl'),
    parts: ['{"a":', '[', '"\\', ' ', '{}\n', '1'],
    source: `${DATASETS}/read-rows.ts`,
  },
  pdf: {
    parse: (text) => documentPages(Buffer.from(text, 'latin1').toString('base64')),
    start: '%PDF',
    parts: [
      '/Linearized ',
      '/Type /Pages ',
      '/Type ',
      '/Type /Page',
      '/Linearized /N ',
      '/N 1',
      ' ',
      '/Count ',
    ],
    source: `${GATEWAY}/requests/tokens/media-tokens.ts`,
  },
  multipart: {
    parse: readParts,
    start: '--b\r\nContent-Disposition: form-data; name="a"\r\nContent-Type: x',
    end: 'x\r\n\r\ncontent\r\n--b--',
    maxLength: 14_000,
    parts: [' ', '\t', 'x ', ';', '\r\n', '\r\n--b', '\\"', '; name="', 'a: b\r\n'],
    source: 'serve/http/multipart.ts',
  },
  'content type': {
    parse: boundaryOf,
    start: 'multipart/form-data;',
    parts: [';', ' ', '; boundary', '"\\', '='],
    source: 'core/net/header-parameters.ts',
  },
  link: {
    parse: nextLink,
    parts: ['<', '<a>', '<a>;', ' ', '; rel=', '; rel="', ',', '>;'],
    source: 'core/net/link-header.ts',
  },
  parameters: {
    parse: (text) => headerParameters(text),
    parts: [';', '; a="', '\\"', '=', ';a=b'],
    source: 'core/net/header-parameters.ts',
  },
  json: {
    parse: parseJsonText,
    parts: ['[', '{"a":', '"\\u005c', '"\\\\', '1', '[1,', ' ', '{"a":1,'],
    source: 'core/json/json-text.ts',
  },
  address: {
    parse: addressKind,
    parts: [':', '1.', '%', '0', '[', '::1'],
    source: 'core/net/public-address.ts',
  },
  variables: {
    parse: (text) => expand(text, {}),
    parts: ['${', '$', '${a:-', '$$', '}'],
    source: 'core/text/expand.ts',
  },
  'secret names': {
    parse: isSecretName,
    start: 'key',
    parts: ['max', 'max-', 'a', '_'],
    source: 'core/text/secret-name.ts',
  },
  trim: { parse: (text) => trimOf(text, '-'), parts: ['-', '-a', 'a-'], source: 'core/text/trim-text.ts' },
  'server names': {
    parse: usableName,
    parts: ['.', '._', '_', '-', ' ', 'a.'],
    source: 'targets/manager/config/server-name.ts',
  },
  'client configuration': {
    parse: (text) => parseMcpServers({ path: 'a.json', text }),
    parts: ['/*', '//', '"\\"', '"', ',', ', ', '{"a":', '/* ', '*'],
    source: 'targets/manager/config/parse-mcp-servers.ts',
  },
  'uri template': {
    parse: (text) => matchesUriTemplate(text, text),
    parts: ['{', '{a}', 'a', '*'],
    source: 'targets/manager/shared/uri-template.ts',
  },
  labels: {
    parse: (text) => labelInAnswer(text, ['good', 'bad']),
    parts: [' ', '.', '"', '. a', 'label ', 'label: ', '*'],
    source: `${GATEWAY}/evaluation/work/inference/label-in-answer.ts`,
  },
  'schema size': {
    parse: (text) => schemaSizeProblem({ text }),
    parts: ['a'],
    source: 'core/json/schema-size.ts',
  },
};
