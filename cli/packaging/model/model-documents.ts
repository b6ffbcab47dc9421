import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { messageOf } from '#contract/errors.ts';
import { readChunks } from '#platform/read-chunks.ts';
import type { CardFacts, ModelLicense } from '#contract/manifest.ts';
import { MAX_CITATION_LENGTH, readCard, shortText } from './read-card.ts';
import { trimEndOf } from '#core/text/trim-text.ts';

interface Document {
  readonly name: string;
  readonly text: string;
}

/** Documents next to config.json: the model card, the license and notice files, and CITATION.cff. */
export interface ModelDocuments {
  readonly card: Document | undefined;
  readonly licenses: readonly Document[];
  readonly citation?: Document;
  /** Documents that were omitted or truncated, one sentence each. */
  readonly problems: readonly string[];
}

/** Maximum size of a document in an executable. */
const MAX_BYTES = 1024 * 1024;
const MAX_SIZE = '1 MiB';

const CARD = /^readme\.md$/i;
const LICENSE = /^(?:licen[cs]e|copying|notice)(?:\.(?:txt|md))?$/i;
const CITATION = /^citation\.cff$/i;
const NOTICE = /^notice/i;

/**
 * Reads a model's documents. A document that cannot be used is reported, but does not make the
 * build fail.
 */
export async function readDocuments(folder: string): Promise<ModelDocuments> {
  const problems: string[] = [];
  const licenses: Document[] = [];
  let card: Document | undefined;
  let citation: Document | undefined;
  for (const path of await documentPaths(folder)) {
    const isCard = CARD.test(basename(path));
    // On a case-sensitive file system, there can be both README.md and readme.md.
    if (isCard && card) continue;
    const { text, problem } = await readDocument(path, isCard);
    if (problem) problems.push(problem);
    if (text === undefined || text.trim() === '') continue;
    const document = { name: basename(path), text };
    if (isCard) card = document;
    else if (CITATION.test(document.name)) citation = document;
    else licenses.push(document);
  }
  return { card, licenses, ...(citation ? { citation } : {}), problems };
}

/** Whether a file in a model folder is a document, judging by its name. */
export const isDocument = (name: string): boolean =>
  [CARD, LICENSE, CITATION].some((pattern) => pattern.test(name));

/** Paths of the documents in a folder: licenses before notices, otherwise sorted by name. */
export async function documentPaths(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  const found = names.filter(isDocument).sort();
  return [...found.filter((name) => !NOTICE.test(name)), ...found.filter((name) => NOTICE.test(name))].map(
    (name) => join(folder, name),
  );
}

interface ReadDocument {
  readonly text?: string;
  readonly problem?: string;
}

/** A model card that is too long is truncated, but a license is only valid as a whole. */
async function readDocument(path: string, canTruncate: boolean): Promise<ReadDocument> {
  const name = basename(path);
  try {
    const facts = await stat(path);
    if (!facts.isFile()) return {};
    const isTooLarge = facts.size > MAX_BYTES;
    if (isTooLarge && !canTruncate) {
      return { problem: `${name} is not included: it is larger than ${MAX_SIZE}.` };
    }
    const text = textOf(await readBytes(path, Math.min(facts.size, MAX_BYTES)));
    if (text === undefined) return { problem: `${name} is not included: it is not UTF-8 text.` };
    return { text, ...(isTooLarge ? { problem: `${name} is truncated to ${MAX_SIZE}.` } : {}) };
  } catch (error) {
    return { problem: `${name} is not included: ${messageOf(error)}.` };
  }
}

async function readBytes(path: string, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let at = 0;
  for await (const chunk of readChunks({ path, offset: 0, length })) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/**
 * Reads a text file; returns undefined for a binary file. Removes control characters, because the
 * text is printed to terminals.
 */
function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    // With `stream`, a character that is cut off at the end is not an error.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    // A lone carriage return would let a terminal overwrite the line before it.
    return text.replaceAll(/\r(?!\n)/g, '\n').replaceAll(/(?![\t\n\r])\p{Cc}/gu, '');
  } catch {
    return undefined;
  }
}

/** A model's license and documents, as written into an executable. */
interface LicensedModel {
  readonly license: ModelLicense | undefined;
  readonly facts: CardFacts | undefined;
  /** Contents of the license files, the notice files and the model card. */
  readonly licenseText: string | undefined;
  readonly cardText: string | undefined;
  readonly problems: readonly string[];
}

/** Finds a model's license in the config, otherwise in the model card, otherwise in a license file. */
export function findLicense(stated: string | undefined, documents: ModelDocuments): LicensedModel {
  const { card, licenses, citation: file, problems } = documents;
  const read = card && readCard(card.text);
  const invalid = read?.invalid ?? [];
  const citation = read?.citation ?? file?.text.trim();
  const isTooLong = citation !== undefined && citation.length > MAX_CITATION_LENGTH;
  const cited = citation === undefined || isTooLong ? undefined : { citation };
  return {
    license: licenseIn(stated, read?.license, licenses),
    facts: read?.facts || cited ? { ...read?.facts, ...cited } : undefined,
    licenseText: licenses.length === 0 ? undefined : licenses.map(titled).join('\n'),
    cardText: card?.text,
    problems: [
      ...problems,
      ...(isTooLong
        ? [`The citation is not included: it is longer than ${MAX_CITATION_LENGTH} characters.`]
        : []),
      ...invalid.map(
        (key) => `${card?.name}: \`${key}\` is ignored, because it is too long or not valid YAML.`,
      ),
    ],
  };
}

function licenseIn(
  stated: string | undefined,
  carded: Omit<ModelLicense, 'source'> | undefined,
  licenses: readonly Document[],
): ModelLicense | undefined {
  // If the config states the same license as the model card, the license name and link from the
  // model card still apply.
  if (stated !== undefined) return { ...(stated === carded?.id ? carded : { id: stated }), source: 'config' };
  if (carded) return { ...carded, source: 'card' };
  const file = licenses.find(({ name }) => !NOTICE.test(name));
  return file && { id: titleOf(file), source: 'file' };
}

/**
 * The title of a license text: the first line with letters, without Markdown heading marks, plus
 * the version that some licenses have on the next line; else the file name.
 */
function titleOf({ name, text }: Document): string {
  const [title, next = ''] = text.split('\n').filter((line) => /\p{L}/u.test(line));
  const [version] = /^\s*Version \d[\d.]*/.exec(next) ?? [];
  const words = title === undefined ? name : trimEndOf(title.replace(/^[\s#*=]+/, ''), ' \t\r#*');
  return shortText(version === undefined ? words : `${words}, ${version.trim()}`);
}

const titled = ({ name, text }: Document): string => `${name}:\n\n${text.trim()}\n`;
