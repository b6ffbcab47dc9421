import { counted } from '../counted.js';
import { element } from '../dom.js';
import { prose } from './prose.js';

/** @typedef {any} Schema a schema object of OpenAPI 3.0 or 3.1 */
/** @typedef {any} OpenApi an OpenAPI 3.0 or 3.1 document */

/**
 * Resolves a `$ref`.
 * @param {OpenApi} api
 * @param {any} value
 * @returns {any}
 */
export function resolved(api, value) {
  if (typeof value?.$ref !== 'string') return value;
  const steps = value.$ref.replace(/^#\//, '').split('/');
  const target = steps.reduce(
    (/** @type {any} */ node, /** @type {string} */ step) =>
      node?.[step.replaceAll('~1', '/').replaceAll('~0', '~')],
    api,
  );
  return resolved(api, target);
}

/**
 * The fields of a schema as nested lists. Referenced schemas are expanded in place.
 * @param {OpenApi} api
 * @param {Schema} schema
 * @param {readonly Schema[]} [outer] enclosing schemas; a schema that contains itself is not expanded again
 * @returns {HTMLElement[]}
 */
export function fields(api, schema, outer = []) {
  const own = resolved(api, schema);
  if (!own || outer.includes(own)) return [];
  const path = [...outer, own];
  // Alternatives of an object with its own fields only restrict their combinations.
  const alternatives = own.properties ? undefined : (own.oneOf ?? own.anyOf);
  if (alternatives) {
    return alternatives.flatMap((/** @type {Schema} */ one) => fields(api, one, path));
  }
  if (own.allOf) return own.allOf.flatMap((/** @type {Schema} */ one) => fields(api, one, path));
  if (own.items) return fields(api, own.items, path);
  const named = Object.entries(own.properties ?? {});
  if (named.length === 0) {
    return typeof own.additionalProperties === 'object' ? fields(api, own.additionalProperties, path) : [];
  }
  const items = named.map(([name, value]) =>
    field(api, name, value, (own.required ?? []).includes(name), path),
  );
  return [element('ul', { class: 'fields' }, ...items)];
}

/**
 * @param {OpenApi} api
 * @param {string} name
 * @param {Schema} schema
 * @param {boolean} required
 * @param {readonly Schema[]} outer
 */
function field(api, name, schema, required, outer) {
  const own = resolved(api, schema);
  return element(
    'li',
    {},
    element('code', { class: 'field-name' }, name),
    ' ',
    element('span', { class: 'field-type' }, typeText(api, own)),
    ...(required ? [] : [' ', element('span', { class: 'field-optional' }, 'optional')]),
    ...prose(own?.description),
    ...fields(api, own, outer),
  );
}

/**
 * A schema's type in words, with its limits: array of string, 1 to 32 items.
 * @param {OpenApi} api
 * @param {Schema} schema
 */
export function typeText(api, schema) {
  return [typeName(api, schema), ...limits(resolved(api, schema) ?? {})].join(', ');
}

/**
 * @param {OpenApi} api
 * @param {Schema} schema
 * @returns {string}
 */
function typeName(api, schema) {
  const own = resolved(api, schema) ?? {};
  const types = [own.type ?? []].flat();
  const mayBeNull = own.nullable || types.includes('null');
  const named = types.filter((/** @type {string} */ type) => type !== 'null');
  const names =
    choices(api, own) ?? (types.length === 0 ? ['anything'] : named.map((type) => plainName(api, type, own)));
  return [...names, ...(mayBeNull ? ['null'] : [])].join(' or ');
}

/**
 * The names of a schema's alternatives.
 * @param {OpenApi} api
 * @param {Schema} own
 * @returns {string[] | undefined}
 */
function choices(api, own) {
  if (own.const !== undefined) return [JSON.stringify(own.const)];
  if (own.enum) {
    const values = own.enum.filter((/** @type {unknown} */ one) => one !== null);
    return values.map((/** @type {unknown} */ one) => JSON.stringify(one));
  }
  if (own.properties) return undefined;
  return (own.oneOf ?? own.anyOf)?.map((/** @type {Schema} */ one) => typeName(api, one));
}

/**
 * @param {OpenApi} api
 * @param {string} type
 * @param {Schema} own
 */
function plainName(api, type, { items, additionalProperties }) {
  const inner = { array: items, object: additionalProperties }[type];
  if (typeof inner !== 'object') return type;
  const name = typeName(api, inner);
  return `${type} of ${name.includes(' or ') ? `(${name})` : name}`;
}

/** @param {Schema} schema */
function limits({ minItems, maxItems, minLength, maxLength, minimum, maximum, default: otherwise }) {
  return [
    ...range(minItems, maxItems, 'item'),
    ...range(minLength, maxLength, 'character'),
    ...range(minimum, maximum),
    ...(otherwise === undefined ? [] : [`default ${JSON.stringify(otherwise)}`]),
  ];
}

/**
 * @param {number | undefined} least
 * @param {number | undefined} most
 * @param {string} [unit]
 */
function range(least, most, unit) {
  const amount = (/** @type {number} */ count) => (unit ? counted(count, unit) : String(count));
  if (least === undefined) return most === undefined ? [] : [`at most ${amount(most)}`];
  if (most === undefined) return [`at least ${amount(least)}`];
  return [least === most ? amount(most) : `${least} to ${amount(most)}`];
}
