import type { Backend, WorkSpec } from '../../work/work.ts';

/** Names of the secrets that a job needs. */
export function secretsOfJob(spec: WorkSpec): readonly string[] {
  const backends =
    spec.type === 'evaluation' ? [spec.judge?.backend, spec.embedder?.backend] : [spec.backend];
  return backends.map(secretOf).filter((name) => name !== null);
}

const secretOf = (backend: Backend | undefined): string | null =>
  backend && 'secretName' in backend ? backend.secretName : null;
