/** @import { Sample } from './samples.js' */

/**
 * Returns a request as a Python program, which needs no packages.
 * @param {Sample} request
 */
export function pythonSample({ url, method, body, withKey }) {
  const headers = [
    ...(withKey ? [`"Authorization": f"Bearer {os.environ['API_KEY']}"`] : []),
    ...(body === undefined ? [] : ['"Content-Type": "application/json"']),
  ];
  const isImplied = method === (body === undefined ? 'GET' : 'POST');
  return [
    'import json',
    ...(withKey ? ['import os'] : []),
    'from urllib.request import Request, urlopen',
    '',
    ...(body === undefined ? [] : [`body = ${literal(body, '')}`]),
    'request = Request(',
    `    ${JSON.stringify(url)},`,
    ...(isImplied ? [] : [`    method=${JSON.stringify(method)},`]),
    ...(headers.length === 0 ? [] : [`    headers={${headers.join(', ')}},`]),
    ...(body === undefined ? [] : ['    data=json.dumps(body).encode(),']),
    ')',
    'with urlopen(request) as response:',
    '    print(json.load(response))',
  ].join('\n');
}

/** Longer values are wrapped. */
const LINE = 60;

/**
 * A JSON value as Python. A string of JSON is one of Python as well.
 * @param {any} value
 * @param {string} indent
 * @returns {string}
 */
function literal(value, indent) {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  const isList = Array.isArray(value);
  const deeper = `${indent}    `;
  const items = (/** @type {string} */ inner) =>
    isList
      ? value.map((item) => literal(item, inner))
      : Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${literal(item, inner)}`);
  const [open, close] = isList ? '[]' : '{}';
  const line = `${open}${items(indent).join(', ')}${close}`;
  if (line.length <= LINE && !line.includes('\n')) return line;
  return `${open}\n${items(deeper)
    .map((item) => `${deeper}${item},\n`)
    .join('')}${indent}${close}`;
}
