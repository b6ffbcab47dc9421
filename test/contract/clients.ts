import { join } from 'node:path';
import { credentials, loadPackageDefinition, type ServiceClientConstructor, status } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { MODEL_TYPE_NAMES } from '#contract/model-types.ts';
import { ROOT } from '../helpers/paths.ts';
import type { Served } from './serving.ts';
import { post } from './http-client.ts';

export interface PredictRequest {
  /** Texts; images in base64, as bytes over gRPC; or objects with either. */
  readonly inputs: readonly (
    | string
    | Buffer
    | { readonly text: string }
    | { readonly image: string | Buffer }
  )[];
  readonly candidate_labels?: readonly string[];
  readonly hypothesis_template?: string;
  readonly normalize?: boolean;
  readonly dimensions?: number;
  readonly prompt_name?: string;
  readonly prompt?: string;
  readonly instruction?: string;
  readonly max_active_dims?: number;
  readonly top_k?: number;
  readonly targets?: readonly string[];
  readonly tokens?: boolean;
  readonly input_type?: string;
  readonly stage?: string;
  readonly outputs?: readonly string[];
  readonly labels?: readonly string[];
  readonly threshold?: number;
  readonly flat_ner?: boolean;
  readonly multi_label?: boolean;
  readonly metadata?: Readonly<Record<string, string>>;
}

interface TokenInfo {
  readonly token: string;
  readonly token_id: number;
  readonly start: number;
  readonly end: number;
}

/** A token vector; over gRPC, it is a message. */
export type TokenVector = readonly number[] | { readonly values: readonly number[] };

/** The result for one input; its fields depend on the model type. */
export interface PredictResult {
  readonly logits?: readonly number[];
  readonly labels?: readonly string[];
  readonly scores?: readonly number[];
  readonly predicted_index?: number;
  readonly predicted_label?: string;
  readonly embedding?: readonly number[];
  readonly vectors?: readonly TokenVector[];
  readonly embeddings?: readonly { readonly embedding: readonly number[]; readonly token_info: TokenInfo }[];
  readonly entities?: readonly {
    readonly text: string;
    readonly label: string;
    readonly score: number;
    readonly start: number;
    readonly end: number;
  }[];
  readonly objects?: readonly {
    readonly label: string;
    readonly score: number;
    readonly box: {
      readonly xmin: number;
      readonly ymin: number;
      readonly xmax: number;
      readonly ymax: number;
    };
  }[];
  readonly tokens?: readonly {
    readonly token_info: TokenInfo;
    readonly logits: readonly number[];
    readonly scores: readonly number[];
    readonly label: string;
    readonly score: number;
  }[];
}

export interface PredictResponse {
  readonly results: readonly PredictResult[];
  readonly model_id: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

/** An error as named in the contract, regardless of the wire. */
class WireError extends Error {
  readonly code: string | number;

  constructor(code: string | number, message: string) {
    super(message);
    this.code = code;
  }
}

/** A client for a served model. All clients use the contract's request and response. */
export interface Transport {
  readonly name: 'http' | 'grpc' | 'mcp';
  /** The form in which this wire reports an invalid input. */
  readonly inputError: string | number;
  connect(
    served: Served,
    service: string,
  ): Promise<{ predict(request: PredictRequest): Promise<PredictResponse>; close(): Promise<void> }>;
}

const http: Transport = {
  name: 'http',
  inputError: 422,
  connect: ({ httpPort }) =>
    Promise.resolve({
      async predict(request) {
        // A new connection: a build that blocks this process can hide that a kept connection was closed.
        const { status, text } = await post(`http://127.0.0.1:${httpPort}/predict`, request);
        if (status !== 200) throw new WireError(status, text);
        return JSON.parse(text) as PredictResponse;
      },
      close: () => Promise.resolve(),
    }),
};

const grpc: Transport = {
  name: 'grpc',
  inputError: status.INVALID_ARGUMENT,
  connect({ grpcPort }, service) {
    const client = grpcClient(service, `127.0.0.1:${grpcPort}`);
    return Promise.resolve({
      predict: (request) =>
        new Promise((resolve, reject) => {
          const done = (error: { code: number; details: string } | null, response: PredictResponse): void => {
            if (error) reject(new WireError(error.code, error.details));
            else resolve(response);
          };
          (client['Predict'] as (...args: unknown[]) => unknown).call(client, request, done);
        }),
      close: () => Promise.resolve(client.close()),
    });
  },
};

/** The status of a gRPC prediction of a classifier; undefined if it succeeds. */
export async function grpcCodeOf(port: number, inputs: readonly string[]): Promise<number | undefined> {
  const client = grpcClient('SequenceClassification', `127.0.0.1:${port}`);
  try {
    return await new Promise((resolve) => {
      (client['Predict'] as (...args: unknown[]) => unknown).call(
        client,
        { inputs },
        (error: { code: number } | null) => resolve(error?.code),
      );
    });
  } finally {
    client.close();
  }
}

/** A client created from our .proto files by another gRPC implementation. */
export function grpcClient(
  service: string,
  address: string,
): InstanceType<ServiceClientConstructor> & Record<string, unknown> {
  const proto = join(ROOT, 'proto');
  const definition = loadSync(
    MODEL_TYPE_NAMES.map((name) => `encoder/${name}.proto`),
    { includeDirs: [proto], keepCase: true, defaults: true },
  );
  const { encoder } = loadPackageDefinition(definition) as unknown as {
    encoder: Record<string, ServiceClientConstructor>;
  };
  const Service = encoder[service];
  if (!Service) throw new Error(`no service ${service}`);
  const options = { 'grpc.max_receive_message_length': -1 };
  return new Service(address, credentials.createInsecure(), options);
}

const mcp: Transport = {
  name: 'mcp',
  inputError: -32_600,
  async connect({ httpPort }) {
    const client = new Client({ name: 'contract', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${httpPort}/mcp`)));
    return {
      async predict(request) {
        try {
          const result = await client.callTool({ name: 'run_encoder', arguments: { ...request } });
          return result.structuredContent as PredictResponse;
        } catch (error) {
          const { code, message } = error as { code: number; message: string };
          throw new WireError(code, message.replace(/^MCP error -?\d+: /, ''));
        }
      },
      close: () => client.close(),
    };
  },
};

export const TRANSPORTS: readonly Transport[] = [http, grpc, mcp];
