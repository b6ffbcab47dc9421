/** Returns a request as a Python program that only requires the standard library. */
function pythonSample({ url, method, body, withKey }: Sample) {
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

/** Maximum length of values on one line. Longer values are wrapped. */
const MAX_LITERAL = 60;

/** Converts a JSON value to Python. JSON strings are also valid Python strings. */
function literal(value: unknown, indent: string): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  const deeper = `${indent}    `;
  const items = (inner: string) =>
    Array.isArray(value)
      ? value.map((item) => literal(item, inner))
      : Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${literal(item, inner)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const line = `${open}${items(indent).join(', ')}${close}`;
  if (line.length <= MAX_LITERAL && !line.includes('\n')) return line;
  return `${open}\n${items(deeper)
    .map((item) => `${deeper}${item},\n`)
    .join('')}${indent}${close}`;
}

/** Returns a request as a JavaScript program, for Node and browsers. */
function javascriptSample({ url, method, body, withKey }: Sample) {
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

const indented = (text: string) => text.replaceAll('\n', '\n  ');

/** Maximum length of JSON on one line. Longer JSON is wrapped. */
const LINE = 56;

/**
 * Returns a request as a curl command. An API key is referenced as a variable, because copied
 * commands are pasted into chats and shell histories.
 */
export function curlSample({ url, method, body, withKey }: Sample) {
  const isImplied = method === (body === undefined ? 'GET' : 'POST');
  return [
    `curl ${isImplied ? '' : `-X ${method} `}${shellWord(url)}`,
    ...(withKey ? ['-H "Authorization: Bearer $API_KEY"'] : []),
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${shellWord(jsonOf(body))}`]),
  ].join(' \\\n  ');
}

function jsonOf(body: unknown) {
  const line = JSON.stringify(body);
  return line.length <= LINE ? line : JSON.stringify(body, undefined, 2);
}

/** Quotes one word for a POSIX shell. Inside single quotes, only the quote itself is special. */
export function shellWord(text: string) {
  return /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A request that is shown as code. */
export interface Sample {
  readonly url: string;
  readonly method: string;
  /** The value to send as JSON. */
  readonly body?: unknown;
  /** Whether the server requires an API key. */
  readonly withKey: boolean;
}

export const LANGUAGES: readonly { name: string; write: (request: Sample) => string }[] = [
  { name: 'curl', write: curlSample },
  { name: 'Python', write: pythonSample },
  { name: 'JavaScript', write: javascriptSample },
];
