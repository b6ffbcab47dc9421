import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { configError } from '#contract/errors.ts';
import { TEXT_ROLES, type TextRole } from '#contract/multi-vector.ts';
import { isMapping } from '#core/yaml/describe.ts';
import { readJsonObject } from './read-json.ts';
import { moduleClass, modulePath } from './sentence-layers.ts';

export const ROUTER_FILE = 'router_config.json';

/** A module in the form of modules.json. */
interface RoutedModule {
  readonly type: string;
  /** Folder of the module, relative to the model folder, with slashes. */
  readonly path: string;
}

/** The modules of sentence-transformers that queries and documents go through. */
export type Routes = Readonly<Record<TextRole, readonly RoutedModule[]>>;

/**
 * Reads the routes of a model whose first module is a Router; undefined if the module is of another
 * kind. A router for anything other than queries and documents is rejected.
 */
export async function readRoutes(folder: string, modules: readonly unknown[]): Promise<Routes | undefined> {
  const router = modules.find((module) => moduleClass(module) === 'Router');
  if (router === undefined) return undefined;
  const file = posix.join(modulePath(router), ROUTER_FILE);
  if (!existsSync(join(folder, file)))
    throw configError(
      `modules.json has the module Router, but ${file} is missing. Download the model again.`,
    );
  const { types, structure } = await readJsonObject<Readonly<Record<string, unknown>>>(join(folder, file));
  const modulesOf = (role: TextRole): RoutedModule[] => {
    const names = isMapping(structure) ? structure[role] : undefined;
    if (!Array.isArray(names) || !names.every((name) => typeof name === 'string')) {
      throw configError(
        `${file} has no route for a ${role}, but only models with the routes ${TEXT_ROLES.join(' and ')} are supported. Choose another model.`,
      );
    }
    return names.map((name) => {
      const type = isMapping(types) ? types[name] : undefined;
      if (typeof type !== 'string' || !isInside(name))
        throw configError(`${file} does not state the type of the module ${JSON.stringify(name)}.`);
      return { type, path: posix.join(modulePath(router), name) };
    });
  };
  return { query: modulesOf('query'), document: modulesOf('document') };
}

const isInside = (name: string): boolean => !/[/\\]/.test(name) && name !== '..';
