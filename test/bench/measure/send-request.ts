import { type IncomingHttpHeaders, request, type RequestOptions } from 'node:http';

export interface HttpAnswer {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Sends one request to this machine and reads its answer to the end. An answer that is no success is an error. */
export function sendRequest(options: RequestOptions, body: string): Promise<HttpAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
  const sent = request({ host: '127.0.0.1', ...options });
  sent.on('error', reject);
  sent.on('response', (answer) => {
    const chunks: Buffer[] = [];
    answer.on('data', (chunk: Buffer) => chunks.push(chunk));
    answer.on('error', reject);
    answer.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const { statusCode = 0, headers } = answer;
      if (statusCode >= 200 && statusCode < 300) resolve({ headers, body: text });
      else reject(new Error(`HTTP ${statusCode}: ${text.slice(0, 300)}`));
    });
  });
  sent.end(body);
  return promise;
}
