import type { Steps } from '#core/limits/steps.ts';
import { runAtOnce } from '#platform/run-yielding.ts';
import type { Json } from './shapes/chat.ts';
import { membersOf } from '#core/json/members-of.ts';
import type { StoredObject } from '../accounts/objects/objects.ts';
import { parseJsonText } from '#core/json/json-text.ts';

/** The stored objects that a request refers to, found in one pass over its parsed body. */
interface References {
  /**
   * IDs that could refer to objects stored by a provider, each as written and as the last segment of its
   * path.
   */
  readonly ids: ReadonlySet<string>;
  /** Total number of members of all objects in the body. */
  readonly members: number;
}

/** Maximum length of an ID. Providers' IDs are shorter, even if they are the URL of a file. */
const MAX_LENGTH = 2048;

/** Number of lists and objects that are searched per step. */
const ITEMS_PER_STEP = 1024;

/** Finds the IDs of stored objects in a body of any API, at any depth. */
export const referencesIn = (body: Json): References => runAtOnce(searchReferences(body));

/** Same as `referencesIn`, but in steps, for large bodies. */
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
  // OpenAI treats an object that only contains an ID as a reference to an item, because the type of an item
  // is optional.
  const { type } = object;
  return kind === 'id' && (type === 'item_reference' || (typeof type !== 'string' && isSmall(object)));
}

const isSmall = (object: Json): boolean => Object.keys(object).length <= 3;

/**
 * Members that contain call IDs, which only exist within a conversation and occur in every request from an
 * agent.
 */
const OF_CALLS = ['call_', 'toolu_', 'srvtoolu_', 'chatcmpl-', 'chatcmpl_'] as const;

const MAX_PREFIX = 16;

/** Whether a text has the format of provider IDs: a lower-case word, then `_`, `-` or `/`. */
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

/** Matches texts that make Alibaba's models read files: `fileid://`, followed by comma-separated IDs. */
const TEXT_SCHEME = 'fileid://';

function addTextReferences(ids: Set<string>, text: string): void {
  if (!text.startsWith(TEXT_SCHEME)) return;
  for (const one of text.split(',')) addIds(ids, one.trim().replace(TEXT_SCHEME, ''));
}

/**
 * What a member contains, judging by its name: `reference` always refers to a stored object; `id` can be
 * the object's own ID or that of another object; `possible` is a name with a matching ending that is not
 * known from any API.
 */
type ReferenceName = 'reference' | 'id' | 'possible' | 'other';

/**
 * The kind of each name seen so far. The number of names is limited, because clients can choose any names.
 */
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

/** The last name in a form field such as `image[0][file_id]` or `file_ids[]`. */
function lastStep(name: string): string {
  const steps = name.split(/[[\].]/).filter((step) => step !== '' && !/^\d+$/.test(step));
  return steps.at(-1) ?? name;
}

/**
 * Names by which the APIs of OpenAI, Anthropic, Gemini and others refer to stored objects, ignoring case,
 * `_`, `-` and the brackets in form fields. @internal
 */
export const REFERENCE_NAMES: ReadonlySet<string> = new Set([
  // Files in messages, tools, images, batches and fine-tuning; Gemini refers to files by URL.
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
  // Conversations and the objects in them.
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
  // Resources used by tools.
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
  // Batches and caches.
  'batchid',
  'inputbatchid',
  'cachedcontent',
  'cachedcontents',
]);

/**
 * Names that end like those of ID members but identify calls, users and requests. Some agents send them in
 * every request.
 */
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

/** Maximum number of recorded IDs per response. */
export const MAX_CREATED_IDS = 1000;

/** The IDs of the objects that a provider created along with a response. */
export function createdIds({ output }: Json): readonly string[] {
  return Array.isArray(output) ? output.flatMap(idsOfItem).slice(0, MAX_CREATED_IDS) : [];
}

/**
 * Minimum length of recorded IDs. Shorter IDs are counters or small numbers from local servers, which are
 * repeated and easy to guess.
 */
const MIN_UNIQUE_LENGTH = 20;

export const isUniqueId = ({ length }: string): boolean => length >= MIN_UNIQUE_LENGTH;

/** The ID of a response item, and of the container that its code ran in. */
export function idsOfItem(item: unknown): string[] {
  const { id, container_id: container } = membersOf(item);
  return [id, container].filter((one) => typeof one === 'string').filter(isUniqueId);
}

/** Types of items that belong to the user of the response. */
export const createdItems = (
  response: Omit<StoredObject, 'kind' | 'id' | 'content' | 'plan' | 'held'>,
  ids: readonly string[],
): StoredObject[] => [...new Set(ids)].map((id) => ({ ...response, ...NO_WORK, kind: 'item', id }));

const NO_WORK = { content: {}, plan: undefined, held: undefined };

// The objects that a provider creates while responding and that later requests can refer to, in every API:
// containers and files of code that the provider runs, and audio that a later message can repeat. All users
// share the provider account, so without this record, any client that knows such an ID could use the
// object.

/** Every response that contains such an ID also contains one of these names. */
const MARKS = ['"container', '"file_id"', '"audio"'] as const;

/**
 * The IDs in a response or stream event. Most responses and events do not contain such IDs, and are not
 * parsed for this purpose.
 */
export function createdWith(text: string | Buffer): readonly string[] {
  if (!MARKS.some((mark) => text.includes(mark))) return [];
  return createdIn(parseJsonText(typeof text === 'string' ? text : text.toString('utf8')));
}

/** The IDs in a parsed response. */
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
  // Other files in a response, for example search results, can belong to everyone.
  const isWritten =
    typeof containerId === 'string' || (typeof type === 'string' && type.endsWith('code_execution_output'));
  return [membersOf(container)['id'], containerId, membersOf(audio)['id'], isWritten ? fileId : undefined]
    .filter((id) => typeof id === 'string')
    .filter(isUniqueId);
}
