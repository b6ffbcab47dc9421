import type { Model } from '../model.ts';
import type { OpenTransform } from './protocol.ts';

/** Returns what threads need to run the model's transform, if the model has one. */
export function transformToOpen(
  { manifest, transform }: Model,
  lua: string,
): Omit<OpenTransform, 'progress'> | undefined {
  if (!manifest.transform || transform === undefined) return undefined;
  return { script: { ...manifest.transform, source: transform }, lua };
}
