/** Characters of JSON that one line holds; longer JSON is spread over several. */
const LINE = 56;

/**
 * The call as a command for a shell. An API key is named, not shown: what is copied ends up in chats and histories.
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
 * One word for a POSIX shell. Inside single quotes nothing is special but the quote itself.
 * @param {string} text
 */
export function shellWord(text) {
  return /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
