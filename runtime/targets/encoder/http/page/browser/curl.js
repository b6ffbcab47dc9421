/** Maximum length of JSON on one line; longer JSON is wrapped. */
const LINE = 56;

/**
 * Returns the request as a curl command. An API key is referenced as a variable, because copied commands end up in chats and
 * shell histories.
 * @param {string} url
 * @param {unknown} body
 * @param {boolean} withKey
 */
export function curlLine(url, body, withKey) {
  const line = JSON.stringify(body);
  const json = line.length <= LINE ? line : JSON.stringify(body, undefined, 2);
  return [
    `curl ${shellWord(url)}`,
    ...(withKey ? ['-H "Authorization: Bearer $API_KEY"'] : []),
    `-H 'Content-Type: application/json'`,
    `-d ${shellWord(json)}`,
  ].join(' \\\n  ');
}

/**
 * Quotes one word for a POSIX shell. Inside single quotes, only the quote itself is special.
 * @param {string} text
 */
export function shellWord(text) {
  return /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
