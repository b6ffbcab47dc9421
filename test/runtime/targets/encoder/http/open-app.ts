import type { Hono } from 'hono';
import { afterAll, beforeAll } from 'vitest';
import type { DirectListener } from '#serve/http/exchange.ts';
import type { ShellEnv } from '#serve/http/request-state.ts';
import type { EncoderContext } from '#encoder/context.ts';
import type { EngineLimits, ServingEngine } from '#encoder/engine/serving.ts';
import { openServingEngine } from '#encoder/engine/serving-engine.ts';
import { encoderHttp, type EncoderAppOptions } from '#encoder/http/app.ts';
import { type TestKernel, testKernel } from '#test/helpers/test-kernel.ts';
import { builtAssets } from '#test/helpers/built.ts';
import { DEFAULT_LIMITS } from '#test/helpers/default-limits.ts';

export interface OpenApp {
  readonly app: Hono<ShellEnv>;
  readonly engine: ServingEngine;
  readonly kernel: TestKernel;
  /** Handles common requests without the app. */
  readonly direct: DirectListener;
  /** Sends a body as JSON. */
  post(path: string, body: unknown, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

export interface OpenAppOptions extends Partial<EncoderAppOptions> {
  readonly limits?: Partial<EngineLimits>;
  readonly apiKeys?: readonly string[];
}

/** A fixture model with its HTTP app, without a socket. */
export async function openApp(model: string, options: OpenAppOptions = {}): Promise<OpenApp> {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const path = builtAssets(model);
  return appAround(await openServingEngine(path, { limits, workers: 1, threads: 1 }), options);
}

export function appAround(engine: ServingEngine, options: OpenAppOptions = {}): OpenApp {
  const kernel = testKernel(options.apiKeys);
  const runtime: EncoderContext['runtime'] = {
    version: '1.2.3',
    node: '26.0.0',
    onnxruntime: '1.30.0',
    tokenizers: '0.23.2',
    platform: 'linux-x64',
  };
  const context = { kernel, engine, runtime };
  const appOptions = { maxBodyBytes: 8_000_000, hostRules: { hostname: '127.0.0.1' }, ...options };
  const { app, direct } = encoderHttp(context, appOptions);
  return {
    app,
    engine,
    kernel,
    direct,
    async post(path, body, init = {}) {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const headers = { 'Content-Type': 'application/json' };
      return app.request(path, { method: 'POST', body: text, headers, ...init });
    },
    close: () => engine.close(),
  };
}

/** An app for all tests in the file. */
export function useApp(model: string): () => OpenApp {
  let opened: OpenApp | undefined;
  beforeAll(async () => {
    opened = await openApp(model);
  });
  afterAll(() => opened?.close());
  return () => {
    if (!opened) throw new Error('not open');
    return opened;
  };
}
