import { isObject } from '#core/json/is-object.ts';
import { headerNameProblem } from '#core/text/header-rules.ts';
import { lookup } from '#core/values/lookup.ts';
import { type ApiParameter, type ParameterPlace, type Schema, UnusableOperation } from './plan.ts';
import { type Located, type References, shown, tableOf } from './references.ts';
import type { SchemaConverter } from './schema-converter.ts';
import { MAX_DETAIL, shortened, textOf } from './text-limits.ts';
import type { ArgumentNames } from './tool-names.ts';

/** A parameter with the schema of its argument. */
export interface ReadParameter {
  readonly parameter: ApiParameter;
  /** Undefined if the configuration sets its value. */
  readonly schema: Schema | undefined;
}

export interface ParameterContext {
  readonly references: References;
  readonly converter: SchemaConverter;
  readonly names: ArgumentNames;
  /** Values that the configuration sets, by parameter name. */
  readonly fixed: Readonly<Record<string, string>>;
  /** Names of path parameters that can contain slashes. */
  readonly pathSlashes: ReadonlySet<string>;
  /** Whether a parameter carries a credential, which callers do not set. */
  readonly isCredential: (place: ParameterPlace, name: string) => boolean;
}

const PLACES: ReadonlySet<unknown> = new Set(['path', 'query', 'header', 'cookie']);
const ORDER = ['path', 'query', 'header', 'cookie'] as const;
const STYLES = lookup<readonly string[]>({
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form', 'cookie'],
});
const MAX_PARAMETERS = 200;

/**
 * Headers that callers cannot set: those that OpenAPI describes elsewhere, credentials, and those that proxies and
 * servers trust.
 */
const OWN_HEADERS =
  /^(?:accept|accept-encoding|content-.*|authorization|cookie|proxy-.*|forwarded|x-forwarded-.*|x-real-ip|traceparent|tracestate|x-http-method.*)$/i;

/** Reads the parameters of an operation. Its own override those of its path. */
export function readParameters(
  path: string,
  lists: readonly Located[],
  context: ParameterContext,
): readonly ReadParameter[] {
  const found = new Map<string, Located<Readonly<Record<string, unknown>>>>();
  for (const { value: list, file } of lists) {
    if (list === undefined) continue;
    if (!Array.isArray(list)) throw new UnusableOperation('its parameters are not a list');
    if (list.length > MAX_PARAMETERS)
      throw new UnusableOperation(`it has more than ${MAX_PARAMETERS} parameters`);
    for (const item of list) {
      const parameter = context.references.follow(item, file, 'a parameter');
      const { name, in: place } = parameter.value;
      if (typeof name !== 'string' || name === '') throw new UnusableOperation('a parameter has no name');
      if (place === 'querystring')
        throw new UnusableOperation(`its parameter ${shown(name)} is in "querystring"`);
      if (!PLACES.has(place)) throw new UnusableOperation(`its parameter ${shown(name)} has no valid "in"`);
      found.set(`${String(place)} ${String(place) === 'header' ? name.toLowerCase() : name}`, parameter);
    }
  }
  const inPath = new Set(Array.from(path.matchAll(/\{([^{}]*)\}/g), ([, name = '']) => name));
  for (const name of inPath) {
    if (name === '') throw new UnusableOperation('its path has a parameter without a name');
    if (!found.has(`path ${name}`)) {
      found.set(`path ${name}`, { value: { name, in: 'path', schema: { type: 'string' } }, file: '' });
    }
  }
  return [...found.values()]
    .toSorted((a, b) => placeOf(a) - placeOf(b))
    .filter(({ value }) => isUsed(value, inPath, context))
    .map((parameter) => readParameter(parameter, context));
}

const placeOf = ({ value }: Located<Readonly<Record<string, unknown>>>): number =>
  ORDER.findIndex((place) => place === value['in']);

function isUsed(
  { name, in: place }: Readonly<Record<string, unknown>>,
  inPath: ReadonlySet<string>,
  { isCredential }: ParameterContext,
): boolean {
  const text = textOf(name);
  if (place === 'path') return inPath.has(text);
  if (isCredential(place as ParameterPlace, text)) return false;
  return place !== 'header' || (headerNameProblem(text) === undefined && !OWN_HEADERS.test(text));
}

function readParameter(
  { value, file }: Located<Readonly<Record<string, unknown>>>,
  { references, converter, names, fixed, pathSlashes }: ParameterContext,
): ReadParameter {
  const name = textOf(value['name']);
  const place = value['in'] as ParameterPlace;
  const styles = STYLES[place] ?? [];
  const style = typeof value['style'] === 'string' ? value['style'] : (styles[0] ?? 'form');
  if (!styles.includes(style))
    throw new UnusableOperation(
      `its parameter ${shown(name)} has the style ${shown(style)}, which is invalid in ${place}`,
    );
  if (place === 'cookie' && !/^[\w!#$%&'*+.^`|~-]+$/.test(name))
    throw new UnusableOperation(`${shown(name)} is not a valid cookie name`);
  const [mediaType, media] = Object.entries(tableOf(value['content']))[0] ?? [];
  const content = mediaType === undefined ? undefined : /[/+]json\b/i.test(mediaType) ? 'json' : 'text';
  const own = Object.hasOwn(fixed, name) ? fixed[name] : undefined;
  const parameter: ApiParameter = {
    argument: own === undefined ? names.choose(name, place) : '',
    name,
    in: place,
    required: value['required'] === true || place === 'path',
    style,
    explode:
      typeof value['explode'] === 'boolean' ? value['explode'] : style === 'form' || style === 'cookie',
    // A semicolon would end the cookie, so that the value could set other ones.
    allowReserved: value['allowReserved'] === true && place !== 'cookie',
    allowsSlash:
      place === 'path' &&
      (pathSlashes.has(name) || value['x-multi-segment'] === true || value['allowReserved'] === true),
    content,
    fixed: own,
  };
  if (own !== undefined) return { parameter, schema: undefined };
  const inner = content === undefined ? value['schema'] : tableOf(media)['schema'];
  const converted =
    content === 'text' ? { type: 'string' } : converter.convert(described(inner, file, references));
  const description = textOf(value['description']).trim();
  const prefix = value['deprecated'] === true ? 'Deprecated. ' : '';
  const text = shortened(`${prefix}${description || textOf(converted['description'])}`, MAX_DETAIL);
  return { parameter, schema: text === '' ? converted : { ...converted, description: text } };
}

/** A parameter's schema. Without one, the value is a text. */
function described(schema: unknown, file: string, references: References): Located {
  if (!isObject(schema)) return { value: { type: 'string' }, file };
  // The error for a reference without a target names the parameter's operation.
  references.follow(schema, file, 'a schema');
  return { value: schema, file };
}
