import type { CurrentModels } from './model-set.ts';

/** The name that permissions for a model have: that of an alias, or `provider:model`. Undefined for an unknown model. */
export function permissionOf(models: CurrentModels, model: string): string | undefined {
  const held = models.hold();
  try {
    const { alias, targets } = held.set.router.resolve(model);
    return alias ?? targets[0]?.key;
  } catch {
    return undefined;
  } finally {
    held.release();
  }
}
