import type { TextMatch } from '../finding.ts';
import type { TextKind } from './character-rules.ts';

/** Longer addresses are not links. */
const MAX_URL = 4096;

/** Finds links and images that send data to their address, and addresses that contain a document or script. */
export function findLinks(text: string, kind: TextKind): TextMatch[] {
  const matches: TextMatch[] = [];
  for (let at = text.indexOf(']('); at !== -1; at = text.indexOf('](', at + 2)) {
    const start = at + 2;
    const close = text.indexOf(')', start);
    if (close === -1) break;
    if (close - start > MAX_URL) continue;
    const url = text.slice(start, close).trim();
    if (hasPlaceholder(url) || (kind === 'definition' && isImage(text, at) && url.includes('?'))) {
      matches.push({ rule: 'link-with-data', start, end: close });
      break;
    }
  }
  const lower = text.toLowerCase();
  for (const prefix of DOCUMENTS) {
    const at = lower.indexOf(prefix);
    if (at === -1) continue;
    matches.push({ rule: 'data-url', start: at, end: at + prefix.length });
    break;
  }
  return matches;
}

/** Whether the link whose text ends at `at` is an image, which clients load without a click. */
function isImage(text: string, at: number): boolean {
  const open = text.lastIndexOf('[', at);
  return open > 0 && text[open - 1] === '!' && at - open < MAX_URL;
}

/** Beginnings of addresses with a document or script. Addresses of images are common, and harmless. */
const DOCUMENTS = [
  'data:text/html',
  'data:application/xhtml',
  'data:text/javascript',
  'data:application/javascript',
  'data:application/x-javascript',
  '](javascript:',
  '](vbscript:',
  '](data:text/',
  '](data:application/',
];

const PLACEHOLDER_WORDS =
  /^(?:.{0,40}[_ -])?(?:data|secret|secrets|conversation|history|prompt|context|message|messages|content|contents|payload|user_?input|user_?data|system_?prompt|summary|token|tokens|key|api_?key|password|credentials|base64|encoded|exfil|leak|stolen|info|chat)(?:[_ -].{0,40})?$/i;

/**
 * Whether the query of an address contains a placeholder that a model is expected to replace: `?d={conversation}`, `?q=<DATA>`, `?x=[secret]`.
 */
function hasPlaceholder(url: string): boolean {
  const query = url.indexOf('?');
  if (!/^https?:\/\//i.test(url) || query === -1) return false;
  const rest = url.slice(query + 1);
  for (const [open, close] of PAIRS) {
    const start = rest.indexOf(open);
    const end = rest.indexOf(close, start + open.length);
    if (start === -1 || end === -1) continue;
    const name = rest.slice(start + open.length, end);
    if (name.length <= 100 && PLACEHOLDER_WORDS.test(name)) return true;
  }
  return PLACEHOLDERS.some((word) => rest.includes(word));
}

const PAIRS = [
  ['{{', '}}'],
  ['{', '}'],
  ['<', '>'],
  ['[', ']'],
  ['%7B', '%7D'],
] as const;
/** Words in capital letters that stand for data. */
const PLACEHOLDERS = [
  '=DATA',
  '=SECRET',
  '=BASE64',
  '=CONVERSATION',
  '=HISTORY',
  '=ENCODED',
  '=PROMPT',
  '=CONTEXT',
  '=YOUR_',
];
