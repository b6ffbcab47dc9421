/** Loads a module that is meant for browsers, and uses nothing only they have. */
export async function loadModule<Module>(file: string): Promise<Module> {
  const folder = '../../../../../../runtime/targets/encoder/http/page/browser/';
  return (await import(new URL(folder + file, import.meta.url).href)) as Module;
}
