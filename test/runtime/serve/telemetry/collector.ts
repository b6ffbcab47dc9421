import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Type, type Static } from 'typebox';

const Value = Type.Union([
  Type.Object({ stringValue: Type.String() }, { additionalProperties: false }),
  // In the protocol's JSON, 64-bit integers are strings.
  Type.Object({ intValue: Type.String({ pattern: '^-?\\d+$' }) }, { additionalProperties: false }),
  Type.Object({ doubleValue: Type.Number() }, { additionalProperties: false }),
  Type.Object({ boolValue: Type.Boolean() }, { additionalProperties: false }),
]);
const Attributes = Type.Array(
  Type.Object({ key: Type.String({ minLength: 1 }), value: Value }, { additionalProperties: false }),
);
const Nanos = Type.String({ pattern: '^[1-9]\\d{18}$' });
const Span = Type.Object(
  {
    traceId: Type.String({ pattern: '^[0-9a-f]{32}$' }),
    spanId: Type.String({ pattern: '^[0-9a-f]{16}$' }),
    parentSpanId: Type.Optional(Type.String({ pattern: '^[0-9a-f]{16}$' })),
    traceState: Type.Optional(Type.String()),
    name: Type.String({ minLength: 1 }),
    kind: Type.Integer({ minimum: 1, maximum: 5 }),
    startTimeUnixNano: Nanos,
    endTimeUnixNano: Nanos,
    attributes: Attributes,
    status: Type.Object(
      {
        code: Type.Optional(Type.Integer({ minimum: 0, maximum: 2 })),
        message: Type.Optional(Type.String()),
      },
      { additionalProperties: false },
    ),
  },
  { additionalProperties: false },
);
const Scope = Type.Object({ name: Type.String(), version: Type.String() }, { additionalProperties: false });
/** `ExportTraceServiceRequest` as defined in https://github.com/open-telemetry/opentelemetry-proto, without fields that are never sent. */
const TraceRequest = Type.Object(
  {
    resourceSpans: Type.Array(
      Type.Object(
        {
          resource: Type.Object({ attributes: Attributes }, { additionalProperties: false }),
          scopeSpans: Type.Array(
            Type.Object(
              { scope: Scope, spans: Type.Array(Span, { minItems: 1 }) },
              { additionalProperties: false },
            ),
          ),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
);
const isTraceRequest = new Ajv2020({ strict: true }).compile<Static<typeof TraceRequest>>(TraceRequest);

export type CollectedSpan = Omit<Static<typeof Span>, 'attributes'> & {
  readonly attributes: Readonly<Record<string, unknown>>;
};

interface CollectorAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface Collector {
  readonly endpoint: string;
  /** Responses to the next requests; all others succeed. */
  readonly answers: CollectorAnswer[];
  readonly requests: { readonly headers: IncomingHttpHeaders; readonly spans: readonly CollectedSpan[] }[];
  readonly resources: Readonly<Record<string, unknown>>[];
  /** Sent data that violates the protocol. */
  readonly problems: string[];
  /** Resolves when this number of requests has arrived. */
  readonly received: (requests: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** A span collector that rejects everything that the protocol does not define. */
export async function startCollector({ responds = true } = {}): Promise<Collector> {
  const answers: CollectorAnswer[] = [];
  const requests: { headers: IncomingHttpHeaders; spans: CollectedSpan[] }[] = [];
  const resources: Readonly<Record<string, unknown>>[] = [];
  const problems: string[] = [];
  const server = createServer();
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const text = Buffer.concat(await request.toArray()).toString('utf8');
    const body: unknown = JSON.parse(text);
    if (request.method !== 'POST' || request.url !== '/v1/traces') problems.push(`${request.url}`);
    if (request.headers['content-type'] !== 'application/json') problems.push('content type');
    const spans: CollectedSpan[] = [];
    if (isTraceRequest(body)) {
      for (const { resource, scopeSpans } of body.resourceSpans) {
        resources.push(plain(resource.attributes));
        for (const span of scopeSpans.flatMap((scope) => scope.spans)) {
          spans.push({ ...span, attributes: plain(span.attributes) });
        }
      }
    } else problems.push(JSON.stringify(isTraceRequest.errors));
    const answer = answers.shift() ?? { status: 200, body: { partialSuccess: {} } };
    requests.push({ headers: request.headers, spans });
    if (!responds) return void server.emit('took');
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
    response.end(answer.body === undefined ? '' : JSON.stringify(answer.body), () => server.emit('took'));
  };
  server.on('request', (request, response) => void take(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
    answers,
    requests,
    resources,
    problems,
    received: async (count) => {
      while (requests.length < count) await once(server, 'took');
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const plain = (attributes: Static<typeof Attributes>): Record<string, unknown> =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      'intValue' in value ? Number(value.intValue) : Object.values(value)[0],
    ]),
  );
