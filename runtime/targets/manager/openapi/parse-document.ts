import { readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { isMap, isSeq, parseDocument, visit } from 'yaml';
import { messageOf } from '#contract/errors.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { type Located, type ReadFile, shown } from './references.ts';
import { UnusableOperation } from './plan.ts';

/** Maximum size of a document, and of all files that it consists of. */
export const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024;
/** YAML takes a hundred times longer to parse than JSON. */
const MAX_YAML_CHARACTERS = 12 * 1024 * 1024;
const MAX_FILES = 500;
const MAX_ALIASES = 1000;

/** Parses a document in JSON or YAML. Throws an error with a sentence. */
export function parseDocumentText(text: string): unknown {
  const body = text.replace(/^\uFEFF/, '');
  if (/^\s*[{[]/.test(body)) {
    try {
      return parseJsonText(body);
    } catch (error) {
      // A text that starts like JSON can be YAML.
      if (body.length > MAX_YAML_CHARACTERS)
        throw new Error(`invalid JSON: ${messageOf(error)}`, { cause: error });
    }
  }
  if (body.length > MAX_YAML_CHARACTERS)
    throw new Error(
      `a YAML document must have at most ${MAX_YAML_CHARACTERS / 1024 / 1024} MiB; convert it to JSON`,
    );
  const document = parseDocument(body, {
    prettyErrors: false,
    logLevel: 'silent',
    uniqueKeys: false,
    merge: true,
  });
  const [problem] = document.errors;
  if (problem) throw new Error(`invalid YAML: ${problem.message}`);
  // Only strings can be names in JSON: the status 200 in `responses` is written as a number.
  visit(document, {
    Pair(_, pair) {
      if (isMap(pair.key) || isSeq(pair.key)) throw new Error('invalid YAML: a key is a list or an object');
      return undefined;
    },
  });
  return plainJson(document.toJS({ maxAliasCount: MAX_ALIASES }));
}

/** Replaces values that JSON does not have, such as dates, which a document means as texts. */
function plainJson(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(plainJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plainJson(member)]));
}

export interface DocumentFiles {
  readonly read: ReadFile;
  /** The files that were read, besides the document. */
  readonly files: () => readonly string[];
}

/** Reads the files that references of a document name. A document from the network consists of one file. */
export function documentFiles(document: string | undefined): DocumentFiles {
  const known = new Map<string, unknown>();
  let left = MAX_DOCUMENT_BYTES;
  const refuse = (path: string, reason: string): never => {
    throw new UnusableOperation(`its reference to ${shown(path)} ${reason}`);
  };
  const read = (path: string, from: string): Located => {
    if (document === undefined)
      return refuse(path, 'leads to another file, which requires a document in a local file');
    if (/^[a-z][a-z0-9+.-]*:/i.test(path))
      return refuse(path, 'is a URL, which is not requested; save it next to the document');
    const own = real(document, path);
    const root = dirname(own);
    const base = from === '' ? own : from;
    const file = path === '' ? base : real(resolve(dirname(base), decoded(path)), path);
    const inside = relative(root, file);
    if (inside.startsWith('..') || isAbsolute(inside))
      return refuse(path, 'leads out of the folder of the document');
    const before = known.get(file);
    if (before !== undefined) return { value: before, file };
    if (known.size >= MAX_FILES) return refuse(path, `exceeds the maximum of ${MAX_FILES} files`);
    const { size } = statSync(file);
    left -= size;
    if (left < 0) return refuse(path, 'exceeds the maximum size of the document');
    let value: unknown;
    try {
      value = parseDocumentText(readFileSync(file, 'utf8'));
    } catch (error) {
      return refuse(path, `cannot be read: ${messageOf(error)}`);
    }
    known.set(file, value ?? {});
    return { value: value ?? {}, file };
  };
  return { read, files: () => [...known.keys()] };
}

function real(path: string, written: string): string {
  try {
    return realpathSync(path);
  } catch {
    throw new UnusableOperation(`its reference to ${shown(written)} leads to a file that does not exist`);
  }
}

const decoded = (path: string): string => {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
};
