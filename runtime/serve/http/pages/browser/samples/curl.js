/** @import { Sample } from './samples.js' */

/** Maximum length of JSON on one line; longer JSON is wrapped. */
const LINE = 56;

/**
 * Returns a request as a curl command. An API key is referenced as a variable, because copied commands are pasted into chats and shell
 * histories.
 * @param {Sample} request
 */
export function curlSample({ url, method, body, withKey }) {
  const isImplied = method === (body === undefined ? 'GET' : 'POST');
  return [
    `curl ${isImplied ? '' : `-X ${method} `}${shellWord(url)}`,
    ...(withKey ? ['-H "Authorization: Bearer $API_KEY"'] : []),
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${shellWord(jsonOf(body))}`]),
  ].join(' \\\n  ');
}

/** @param {unknown} body */
function jsonOf(body) {
  const line = JSON.stringify(body);
  return line.length <= LINE ? line : JSON.stringify(body, undefined, 2);
}

/**
 * Quotes one word for a POSIX shell. Inside single quotes, only the quote itself is special.
 * @param {string} text
 */
export function shellWord(text) {
  return /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
