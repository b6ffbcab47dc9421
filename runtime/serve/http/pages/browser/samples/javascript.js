/** @import { Sample } from './samples.js' */

/**
 * Returns a request as a JavaScript program, for Node and browsers.
 * @param {Sample} request
 */
export function javascriptSample({ url, method, body, withKey }) {
  const headers = [
    ...(withKey ? ['Authorization: `Bearer ${process.env.API_KEY}`'] : []),
    ...(body === undefined ? [] : [`'Content-Type': 'application/json'`]),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(headers.length === 0 ? [] : [`  headers: { ${headers.join(', ')} },`]),
    ...(body === undefined
      ? []
      : [`  body: JSON.stringify(${indented(JSON.stringify(body, undefined, 2))}),`]),
  ];
  const second = options.length === 0 ? '' : `, {\n${options.join('\n')}\n}`;
  return `const response = await fetch(${JSON.stringify(url)}${second});\nconsole.log(await response.json());`;
}

/** @param {string} text */
const indented = (text) => text.replaceAll('\n', '\n  ');
