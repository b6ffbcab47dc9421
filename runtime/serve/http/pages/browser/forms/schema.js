/** @typedef {any} Schema a JSON schema of draft 7 to 2020-12 */

/**
 * Reads and checks the value of a field. `path` finds the field of a problem.
 * @typedef {object} Field
 * @property {HTMLElement} node
 * @property {() => { value: unknown } | { problem: string }} read a value of undefined is omitted
 * @property {() => boolean} check reads, shows the problem next to the field, and returns whether there is none
 * @property {() => void} focus
 */

/**
 * Resolves a `$ref` within the document; refs to other documents and loops return an empty schema.
 * @param {Schema} root
 * @param {Schema} schema
 * @returns {Schema}
 */
export function resolve(root, schema) {
  let own = schema;
  for (let depth = 0; typeof own?.$ref === 'string'; depth++) {
    if (!own.$ref.startsWith('#') || depth > 20) return {};
    const steps = own.$ref.slice(1).split('/').slice(1);
    const { $ref: _ref, ...beside } = own;
    const target = steps.reduce(
      (/** @type {any} */ node, /** @type {string} */ step) =>
        node?.[decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')],
      root,
    );
    own = { ...target, ...beside };
  }
  return withoutNull(own ?? {});
}

/**
 * A value that can also be null is a field that can be empty.
 * @param {Schema} schema
 * @returns {Schema}
 */
function withoutNull(schema) {
  if (Array.isArray(schema.type)) {
    const types = schema.type.filter((/** @type {string} */ type) => type !== 'null');
    return types.length === 1 ? { ...schema, type: types[0] } : { ...schema, type: types };
  }
  for (const name of ['anyOf', 'oneOf']) {
    const all = schema[name];
    if (!Array.isArray(all)) continue;
    const rest = all.filter((one) => one?.type !== 'null');
    const { [name]: _removed, ...beside } = schema;
    if (rest.length === 1) return { ...rest[0], ...beside };
    if (rest.length < all.length) return { ...beside, [name]: rest };
  }
  return schema;
}

/**
 * The values of an enumeration, also of one written as alternatives of constants; undefined for other schemas.
 * @param {Schema} schema
 * @returns {unknown[] | undefined}
 */
export function enumOf(schema) {
  if (Array.isArray(schema.enum)) return schema.enum.filter((/** @type {unknown} */ value) => value !== null);
  const all = schema.oneOf ?? schema.anyOf;
  if (!Array.isArray(all) || all.length === 0) return undefined;
  return all.every((one) => one?.const !== undefined) ? all.map((one) => one.const) : undefined;
}
