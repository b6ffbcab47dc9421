import type { Backend, WorkSpec } from '../../work/work.ts';

/**
 * An encoder that a job calls, identified by the path of its executable or by its name in the gateway's
 * configuration.
 */
export type UsedEncoder =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'named'; readonly model: string };

/** A job's encoders that have no URL. */
export function encodersOf(spec: WorkSpec): readonly UsedEncoder[] {
  const backends = spec.type === 'evaluation' ? [spec.embedder?.backend] : [spec.backend];
  return backends.flatMap((backend) => encoderIn(backend) ?? []);
}

function encoderIn(backend: Backend | undefined): UsedEncoder | undefined {
  if (backend?.kind === 'encoder-file') return { kind: 'file', path: backend.path };
  if (backend?.kind === 'gateway' && isEncoder(backend)) return { kind: 'named', model: backend.model };
  return undefined;
}

/** Whether one of the gateway's models is an encoder. */
export const isEncoder = ({ model }: Extract<Backend, { readonly kind: 'gateway' }>): boolean =>
  model.startsWith('encoder:');
