import { AppError } from '#contract/errors.ts';
import type { Backend, WorkTools } from '../work.ts';
import type { Model, OpenBackendOptions, OpenOptions } from './backend.ts';
import { openEncoderFile } from './encoder-file.ts';
import { openEncoderUrl } from './encoder-url.ts';
import { openGateway } from './gateway.ts';
import { openOpenAiCompatible } from './openai-compatible.ts';

/** Time limit to open a backend. Executables with large models start slowly. */
const OPEN_MS = 120_000;

/** Opens a backend. Encoders are inspected, others are not called yet. Throws an AppError if it is unreachable or not allowed. */
export async function openBackend(
  backend: Backend,
  tools: WorkTools,
  options: OpenBackendOptions,
): Promise<Model> {
  if (options.signal) return open(backend, tools, { ...options, signal: options.signal });
  const late = new AbortController();
  const disarm = options.pacing.clock.after(OPEN_MS, () => late.abort());
  try {
    return await open(backend, tools, { ...options, signal: late.signal });
  } catch (error) {
    if (!late.signal.aborted) throw error;
    const sentence = `The model was not ready after ${OPEN_MS / 1000} seconds.`;
    throw new AppError('TimeoutError', sentence, { cause: error });
  } finally {
    disarm();
  }
}

function open(backend: Backend, tools: WorkTools, options: OpenOptions): Promise<Model> {
  if (backend.kind === 'encoder-url') return openEncoderUrl(backend, tools, options);
  if (backend.kind === 'encoder-file') return openEncoderFile(backend, tools, options);
  if (backend.kind === 'gateway') return openGateway(backend, tools, options);
  return openOpenAiCompatible(backend, tools, options);
}
