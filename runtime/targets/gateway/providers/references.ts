import type { Steps } from '#core/limits/steps.ts';
import { runAtOnce } from '#platform/run-yielding.ts';
import type { Json } from './shapes/chat.ts';
import { membersOf } from '#core/json/members-of.ts';
import type { StoredObject } from '../accounts/objects/objects.ts';
import { parseJsonText } from '#core/json/json-text.ts';

/** What a request names, found in one pass over its parsed body. */
interface References {
  /** Ids that a provider could look up, as they are and as the last step of a path. */
  readonly ids: ReadonlySet<string>;
  /** Number of members of all objects in the body. */
  readonly members: number;
}

/** Maximum length of an id; with the address of a file it is longer than any that a provider gives. */
const MAX_LENGTH = 2048;

/** Lists and objects that are searched in one step. */
const ITEMS_PER_STEP = 1024;

/** Finds the ids of stored things in a body, at any depth, whatever API it belongs to. */
export const referencesIn = (body: Json): References => runAtOnce(searchReferences(body));

/** Same in steps, for large bodies. */
export function* searchReferences(body: Json): Steps<References> {
  const ids = new Set<string>();
  let members = 0;
  let left = ITEMS_PER_STEP;
  const open: object[] = [body];
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    left -= 1;
    if (left === 0) {
      left = ITEMS_PER_STEP;
      yield;
    }
    if (Array.isArray(item)) {
      for (const child of item as unknown[])
        if (typeof child === 'object' && child !== null) open.push(child);
        else if (typeof child === 'string') addTextReferences(ids, child);
      continue;
    }
    const object = item as Json;
    const names = Object.keys(object);
    members += names.length;
    for (const name of names) {
      const value = object[name];
      if (typeof value === 'string') {
        if (isReference(object, name, value)) addIds(ids, value);
        else addTextReferences(ids, value);
      } else if (typeof value === 'object' && value !== null) {
        open.push(value);
        if (Array.isArray(value)) addListed(ids, object, name, value);
      }
    }
  }
  return { ids, members };
}

function addListed(ids: Set<string>, object: Json, name: string, list: readonly unknown[]): void {
  if (nameOf(name) === 'other') return;
  for (const one of list) if (typeof one === 'string' && isReference(object, name, one)) addIds(ids, one);
}

function isReference(object: Json, name: string, value: string): boolean {
  const kind = nameOf(name);
  if (kind === 'other') return false;
  if (kind === 'reference' || looksLikeId(value)) return true;
  // OpenAI reads an object with an id alone as a reference to an item, because its type is optional.
  const { type } = object;
  return kind === 'id' && (type === 'item_reference' || (typeof type !== 'string' && isSmall(object)));
}

const isSmall = (object: Json): boolean => Object.keys(object).length <= 3;

/** Ids of calls, which exist only within a conversation, and are in every request of an agent. */
const OF_CALLS = ['call_', 'toolu_', 'srvtoolu_', 'chatcmpl-', 'chatcmpl_'] as const;

const MAX_PREFIX = 16;

/** Whether a text has the form of the ids of providers: a word in lower case, then `_`, `-` or `/`. */
function looksLikeId(value: string): boolean {
  let at = 0;
  for (; at < value.length && at <= MAX_PREFIX; at += 1) {
    const code = value.charCodeAt(at);
    if (code < 0x61 || code > 0x7a) break;
  }
  const end = value[at];
  if (at < 2 || at > MAX_PREFIX || (end !== '_' && end !== '-' && end !== '/')) return false;
  return !OF_CALLS.some((prefix) => value.startsWith(prefix));
}

function addIds(ids: Set<string>, value: string): void {
  if (value.length > MAX_LENGTH) return;
  const id = value.trim();
  if (id !== '') ids.add(id);
  if (!id.includes('/')) return;
  const [path = ''] = id.split(/[?#]/, 1);
  const last = path.slice(path.lastIndexOf('/') + 1);
  if (last !== '') ids.add(last).add(`files/${last}`);
}

/** Texts by which models of Alibaba read files: `fileid://` and ids with commas between them. */
const TEXT_SCHEME = 'fileid://';

function addTextReferences(ids: Set<string>, text: string): void {
  if (!text.startsWith(TEXT_SCHEME)) return;
  for (const one of text.split(',')) addIds(ids, one.trim().replace(TEXT_SCHEME, ''));
}

/**
 * What a member is by its name: `reference` always names a stored thing, `id` can be its own or another one's, `possible` is a name
 * that no API is known to have, but that ends like one.
 */
type ReferenceName = 'reference' | 'id' | 'possible' | 'other';

/** The kind of each name that was seen. Clients choose names, so the number is limited. */
const known = new Map<string, ReferenceName>();

const MAX_KNOWN = 2000;

const MAX_NAME_LENGTH = 100;

function nameOf(name: string): ReferenceName {
  const before = known.get(name);
  if (before !== undefined) return before;
  if (name.length > MAX_NAME_LENGTH) return 'other';
  const found = kindOf(
    lastStep(name)
      .replaceAll(/[^a-z\d]/gi, '')
      .toLowerCase(),
  );
  if (known.size < MAX_KNOWN) known.set(name, found);
  return found;
}

function kindOf(plain: string): ReferenceName {
  if (REFERENCE_NAMES.has(plain)) return 'reference';
  if (plain === 'id' || plain === 'ids') return 'id';
  if (OTHER_IDS.has(plain)) return 'other';
  return plain.endsWith('id') || plain.endsWith('ids') ? 'possible' : 'other';
}

/** The last name of a form field such as `image[0][file_id]` or `file_ids[]`. */
function lastStep(name: string): string {
  const steps = name.split(/[[\].]/).filter((step) => step !== '' && !/^\d+$/.test(step));
  return steps.at(-1) ?? name;
}

/**
 * Names by which the APIs of OpenAI, Anthropic, Gemini and others refer to what a provider stores, without case, `_`, `-` and the
 * brackets of form fields. @internal
 */
export const REFERENCE_NAMES: ReadonlySet<string> = new Set([
  // Files: messages, tools, images, batches, fine-tuning; Gemini's have an address.
  'fileid',
  'fileids',
  'files',
  'file',
  'fileuri',
  'inputfile',
  'inputfileid',
  'inputfileids',
  'outputfileid',
  'errorfileid',
  'trainingfile',
  'validationfile',
  'documentid',
  'documentids',
  'imageid',
  'imageids',
  'maskid',
  'mediaid',
  'uploadid',
  // Conversations, and what is in them.
  'previousresponseid',
  'responseid',
  'conversation',
  'conversationid',
  'threadid',
  'messageid',
  'messageids',
  'itemid',
  'itemids',
  'previousitemid',
  'runid',
  'assistantid',
  // What tools work in.
  'container',
  'containerid',
  'containerids',
  'vectorstoreid',
  'vectorstoreids',
  'vectorstore',
  'libraryid',
  'libraryids',
  'collectionid',
  'collectionids',
  'skillid',
  // Work and caches.
  'batchid',
  'inputbatchid',
  'cachedcontent',
  'cachedcontents',
]);

/** Names that end like ids but are those of calls, users and requests. They are in every request of some agents. */
const OTHER_IDS: ReadonlySet<string> = new Set([
  'toolcallid',
  'callid',
  'tooluseid',
  'userid',
  'enduserid',
  'customid',
  'eventid',
  'requestid',
  'sessionid',
  'modelid',
]);

/** Maximum ids of one answer that are recorded. */
export const MAX_CREATED_IDS = 1000;

/** The ids of what a provider has created with a response. */
export function createdIds({ output }: Json): readonly string[] {
  return Array.isArray(output) ? output.flatMap(idsOfItem).slice(0, MAX_CREATED_IDS) : [];
}

/** Shorter ids are counters or small numbers of local servers: they repeat, and anyone can guess them. */
const MIN_UNIQUE_LENGTH = 20;

export const isUniqueId = ({ length }: string): boolean => length >= MIN_UNIQUE_LENGTH;

/** The id of an item of a response, and of the container that its code ran in. */
export function idsOfItem(item: unknown): string[] {
  const { id, container_id: container } = membersOf(item);
  return [id, container].filter((one) => typeof one === 'string').filter(isUniqueId);
}

/** Items that belong to the user of a response. */
export const createdItems = (
  response: Omit<StoredObject, 'kind' | 'id' | 'content' | 'plan' | 'held'>,
  ids: readonly string[],
): StoredObject[] => [...new Set(ids)].map((id) => ({ ...response, ...NO_WORK, kind: 'item', id }));

const NO_WORK = { content: {}, plan: undefined, held: undefined };

// What a provider creates while it answers, and what later requests can name, on every API: containers and files of code that the provider
// runs, and audio that a later message can repeat. A client that knows such an id could otherwise use it, because all users share the account.

/** Every answer that contains such an id has one of these names. */
const MARKS = ['"container', '"file_id"', '"audio"'] as const;

/** The ids in an answer, or in an event of a stream. Most contain none, and are not parsed for it. */
export function createdWith(text: string | Buffer): readonly string[] {
  if (!MARKS.some((mark) => text.includes(mark))) return [];
  return createdIn(parseJsonText(typeof text === 'string' ? text : text.toString('utf8')));
}

/** The ids in an answer that was parsed. */
export function createdIn(answer: unknown): readonly string[] {
  const ids = new Set<string>();
  const open: unknown[] = [answer];
  while (open.length > 0 && ids.size < MAX_CREATED_IDS) {
    const item = open.pop();
    if (typeof item !== 'object' || item === null) continue;
    if (!Array.isArray(item)) for (const id of idsOf(item as Readonly<Record<string, unknown>>)) ids.add(id);
    for (const child of Object.values(item)) if (typeof child === 'object') open.push(child);
  }
  return [...ids];
}

function idsOf({
  container,
  container_id: containerId,
  audio,
  file_id: fileId,
  type,
}: Readonly<Record<string, unknown>>): string[] {
  // Other files in an answer, for example of a search, can belong to all.
  const isWritten =
    typeof containerId === 'string' || (typeof type === 'string' && type.endsWith('code_execution_output'));
  return [membersOf(container)['id'], containerId, membersOf(audio)['id'], isWritten ? fileId : undefined]
    .filter((id) => typeof id === 'string')
    .filter(isUniqueId);
}
