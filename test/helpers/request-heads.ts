import { once } from 'node:events';
import { connect } from 'node:net';

/** A raw request, and the required response on every HTTP/1.1 port of every program. */
interface RawRequest {
  readonly text: string;
  /** Status of the response; `valid` is any status that is not for invalid requests. */
  readonly answer: number | 'valid';
}

const GET = 'GET /healthz HTTP/1.1\r\n';
const HOST = 'Host: localhost\r\n';
const END = 'Connection: close\r\n\r\n';
const POST = `POST /healthz HTTP/1.1\r\n${HOST}Connection: close\r\n`;
const CHUNKED = `${POST}Transfer-Encoding: chunked\r\n\r\n`;
const BODY = '2\r\nab\r\n0\r\n\r\n';
const coding = (value: string): string => `${POST}Transfer-Encoding: ${value}\r\n\r\n${BODY}`;
const length = (value: string): string => `${POST}Content-Length: ${value}\r\n\r\nab`;
const host = (value: string): string => `${GET}Host: ${value}\r\n${END}`;
const target = (value: string): string => `GET ${value} HTTP/1.1\r\n${HOST}${END}`;

/** RFC 9112 and RFC 9110; section names are taken from these RFCs. */
const RAW_REQUESTS: Readonly<Record<string, RawRequest>> = {
  // 3.2, "Request Target", and 3.2.2
  'no Host': { text: `${GET}${END}`, answer: 400 },
  'no Host in HTTP/1.0': { text: 'GET /healthz HTTP/1.0\r\n\r\n', answer: 'valid' },
  'two Hosts': { text: `${GET}${HOST}Host: other\r\n${END}`, answer: 400 },
  'the same Host twice': { text: `${GET}${HOST}${HOST}${END}`, answer: 400 },
  'two Hosts in HTTP/1.0': { text: `GET /healthz HTTP/1.0\r\n${HOST}Host: other\r\n\r\n`, answer: 400 },
  'two Hosts with other letters': { text: `${GET}HOST: localhost\r\nhost: localhost\r\n${END}`, answer: 400 },
  'two Hosts and an upgrade': {
    text: `${GET}${HOST}Host: other\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nConnection: Upgrade\r\n\r\n`,
    answer: 400,
  },
  'two Hosts and an expectation': {
    text: `POST /healthz HTTP/1.1\r\n${HOST}Host: other\r\nExpect: 100-continue\r\nContent-Length: 2\r\n${END}`,
    answer: 400,
  },
  'a list of hosts': { text: host('localhost, other'), answer: 400 },
  'a list of hosts without a blank': { text: host('localhost,other'), answer: 400 },
  'an empty Host': { text: host(''), answer: 400 },
  'a Host with a user': { text: host('user@localhost'), answer: 400 },
  'a Host with a path': { text: host('localhost/path'), answer: 400 },
  'a Host with a port above 65535': { text: host('localhost:65536'), answer: 400 },
  'a Host with letters as its port': { text: host('localhost:http'), answer: 400 },
  'a Host with half an address': { text: host('[::1'), answer: 400 },
  'a Host with a port': { text: host('localhost:80'), answer: 'valid' },
  'a Host in capitals': { text: host('LOCALHOST'), answer: 'valid' },
  'an address of IPv6 as Host': { text: host('[::1]:80'), answer: 'valid' },
  'an absolute target': { text: target('http://localhost/healthz'), answer: 'valid' },
  'an absolute target in capitals': { text: target('HTTP://LOCALHOST:80/healthz'), answer: 'valid' },
  'an absolute target without a Host': {
    text: `GET http://localhost/healthz HTTP/1.1\r\n${END}`,
    answer: 400,
  },
  'an absolute target with a user': { text: target('http://user:password@localhost/healthz'), answer: 400 },
  'an absolute target without a host': { text: target('http:///healthz'), answer: 400 },
  'an absolute target of another scheme': { text: target('ftp://localhost/healthz'), answer: 400 },
  'a target with a fragment': { text: target('/healthz#part'), answer: 400 },
  'a target that is a host': { text: target('localhost:80'), answer: 400 },
  'the target *': { text: target('*'), answer: 400 },
  'OPTIONS *': { text: `OPTIONS * HTTP/1.1\r\n${HOST}${END}`, answer: 'valid' },
  // 2.3 and 9, "Methods"
  'HTTP/2.0 as a version': { text: `GET /healthz HTTP/2.0\r\n${HOST}${END}`, answer: 505 },
  'HTTP/1.2 as a version': { text: `GET /healthz HTTP/1.2\r\n${HOST}${END}`, answer: 400 },
  'a proxy tunnel': { text: 'CONNECT other:443 HTTP/1.1\r\nHost: other:443\r\n\r\n', answer: 405 },
  TRACE: { text: `TRACE /healthz HTTP/1.1\r\n${HOST}${END}`, answer: 405 },
  'an unknown method': { text: `NONSENSE /healthz HTTP/1.1\r\n${HOST}${END}`, answer: 400 },
  // 5, "Field Syntax"
  'a folded header': { text: `${GET}${HOST}X-Long: a\r\n b\r\n${END}`, answer: 400 },
  'a folded Host': { text: `${GET}Host: localhost\r\n other\r\n${END}`, answer: 400 },
  'a blank before the colon': { text: `${GET}${HOST}X-Name : a\r\n${END}`, answer: 400 },
  'a blank before the colon of Host': { text: `${GET}Host : localhost\r\n${END}`, answer: 400 },
  'a blank before the first header': { text: `${GET} ${HOST}${END}`, answer: 400 },
  'a header without a colon': { text: `${GET}${HOST}X-Name\r\n${END}`, answer: 400 },
  'a header without a name': { text: `${GET}${HOST}: a\r\n${END}`, answer: 400 },
  'a NUL in a header': { text: `${GET}${HOST}X-Name: a\0b\r\n${END}`, answer: 400 },
  'a carriage return in a header': { text: `${GET}${HOST}X-Name: a\rb\r\n${END}`, answer: 400 },
  'lines without carriage returns': {
    text: 'GET /healthz HTTP/1.1\nHost: localhost\nConnection: close\n\n',
    answer: 400,
  },
  'headers of 20 KB': { text: `${GET}${HOST}X-Long: ${'x'.repeat(20_000)}\r\n${END}`, answer: 431 },
  'two thousand headers': { text: `${GET}${HOST}${'a: b\r\n'.repeat(4000)}${END}`, answer: 431 },
  // 6, "Message Body"
  'two different lengths': { text: `${POST}Content-Length: 2\r\nContent-Length: 3\r\n\r\nab`, answer: 400 },
  'the same length twice': { text: `${POST}Content-Length: 2\r\nContent-Length: 2\r\n\r\nab`, answer: 400 },
  'a list of lengths': { text: length('2, 2'), answer: 400 },
  'a length with a sign': { text: length('+2'), answer: 400 },
  'a negative length': { text: length('-2'), answer: 400 },
  'a hexadecimal length': { text: length('0x2'), answer: 400 },
  'an empty length': { text: length(''), answer: 400 },
  'a huge length': { text: length('99999999999999999999999'), answer: 400 },
  'chunks and a length': {
    text: `${POST}Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n${BODY}`,
    answer: 400,
  },
  chunks: { text: coding('chunked'), answer: 'valid' },
  'chunks in capitals': { text: coding('Chunked'), answer: 'valid' },
  'compressed chunks': { text: coding('gzip, chunked'), answer: 501 },
  'chunks twice': { text: coding('chunked, chunked'), answer: 400 },
  'two headers with chunks': {
    text: `${POST}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n${BODY}`,
    answer: 400,
  },
  'chunks that are not last': { text: coding('chunked, identity'), answer: 400 },
  'an unknown coding': { text: coding('xchunked'), answer: 501 },
  'a coding with a parameter': { text: coding('chunked;q=1'), answer: 501 },
  'a coding after a vertical tab': { text: coding('\x0bchunked'), answer: 400 },
  'an empty coding': { text: coding(''), answer: 400 },
  'chunks in HTTP/1.0': {
    text: `POST /healthz HTTP/1.0\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n${BODY}`,
    answer: 400,
  },
  // 7, "Transfer Codings"
  'a chunk with an extension': { text: `${CHUNKED}2;a=b\r\nab\r\n0\r\n\r\n`, answer: 'valid' },
};

/** Invalid chunks are detected while the body is read, or when the next request begins. */
export const RAW_CHUNKS: Readonly<Record<string, RawRequest>> = {
  'a size of letters': { text: `${CHUNKED}zz\r\nab\r\n0\r\n\r\n`, answer: 400 },
  'a negative size': { text: `${CHUNKED}-2\r\nab\r\n0\r\n\r\n`, answer: 400 },
  'a size with a prefix': { text: `${CHUNKED}0x2\r\nab\r\n0\r\n\r\n`, answer: 400 },
  'a huge size': { text: `${CHUNKED}FFFFFFFFFFFFFFFFFF\r\nab\r\n0\r\n\r\n`, answer: 400 },
  'a blank after the size': { text: `${CHUNKED}2 \r\nab\r\n0\r\n\r\n`, answer: 400 },
  'an extension that ends with a line feed': { text: `${CHUNKED}2;a\nab\r\n0\r\n\r\n`, answer: 400 },
  'lines without carriage returns': { text: `${CHUNKED}2\nab\n0\n\n`, answer: 400 },
  'more data than its size': { text: `${CHUNKED}2\r\nabc\r\n0\r\n\r\n`, answer: 400 },
  'extensions of 20 KB': { text: `${CHUNKED}2;${'x'.repeat(20_000)}\r\nab\r\n0\r\n\r\n`, answer: 413 },
  'a length in the trailers': { text: `${CHUNKED}2\r\nab\r\n0\r\nContent-Length: 2\r\n\r\n`, answer: 400 },
  'trailers of 20 KB': {
    text: `${CHUNKED}2\r\nab\r\n0\r\nX-T: ${'x'.repeat(20_000)}\r\n\r\n`,
    answer: 431,
  },
};

const REFUSALS = new Set(['400', '408', '413', '431', '501', '505']);

/** The required response to each request on all ports of all programs. */
export const VALID_ANSWERS = Object.fromEntries(
  Object.entries(RAW_REQUESTS).map(([name, { answer }]) => [name, answer]),
);

/** Sends each request on a separate connection. */
export async function answersToHeads(port: number): Promise<typeof VALID_ANSWERS> {
  const answers = await Promise.all(
    Object.entries(RAW_REQUESTS).map(async ([name, { text, answer }]) => {
      const status = statusOf(await sendRaw(port, text));
      return [name, answer === 'valid' && !REFUSALS.has(status) ? 'valid' : Number(status)] as const;
    }),
  );
  return Object.fromEntries(answers);
}

export const statusOf = (answer: string): string => /^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1] ?? answer;

/** All data received on a connection. */
export async function sendRaw(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.on('data', (chunk) => (received += chunk.toString()));
  socket.on('error', () => {});
  socket.write(text, 'latin1');
  await once(socket, 'close');
  return received;
}
