import { isSecretName } from './secret-name.ts';

/** A value that must not be shown. */
export interface Secret {
  readonly value: string;
  /** Whether its name says that it is one. Other values of a secrets file or of a variable may be settings. */
  readonly isNamed: boolean;
  /** The server that it is for. */
  readonly owner?: string | undefined;
}

/** Collects what must not be shown: values that stand in for a placeholder or come out of the secrets file. */
export interface Redactions {
  /** `names` are what the value is called: its variable, header or flag. */
  add(value: string, names: readonly string[], owner?: string): void;
  /** Longest first. */
  all(): readonly Secret[];
}

/** A shorter value whose name does not sound secret is a setting, as `stdio`, `main` or `2000`. */
const MIN_UNNAMED_LENGTH = 8;
/** Settings, as `DEBUG=true`: to hide them would garble every log. */
const SETTINGS =
  /^(?:true|false|none|null|auto|info|debug|warn|warning|error|verbose|production|development|staging|streamable-http)$/i;
/** Places and formats: errors are of no use without them. */
const PLACES =
  /^(?:[/~]|\.\.?\/|[A-Za-z]:\\)|^(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\])(?::\d+)?$|^\d{4}-\d\d-\d\d$|^[a-z]+\/[\w.+*-]+$/;

export function createRedactions(): Redactions {
  const secrets = new Map<string, Secret>();
  const addOne = (value: string, isNamed: boolean, owner: string | undefined): void => {
    if (value === '') return;
    // `USE_TOKEN=true` is a setting, `PASSWORD=production` is a bad password.
    if (SETTINGS.test(value) && (!isNamed || value.length < MIN_UNNAMED_LENGTH)) return;
    if (!isNamed && (value.length < MIN_UNNAMED_LENGTH || PLACES.test(value))) return;
    const key = JSON.stringify([owner, value]);
    secrets.set(key, { value, isNamed: isNamed || secrets.get(key)?.isNamed === true, owner });
  };
  return {
    add(value, names, owner) {
      const isNamed = names.some(isSecretName);
      addOne(value, isNamed, owner);
      addOne(/^(?:Bearer|Basic|Token) +(.+)$/i.exec(value)?.[1] ?? '', true, owner);
      for (const password of passwordsOf(value)) addOne(password, true, owner);
      // Logs are read line by line; a short line of a key in PEM form says nothing.
      for (const line of value.includes('\n') ? value.split(/\r?\n/) : []) addOne(line.trim(), false, owner);
    },
    all: () => [...secrets.values()].toSorted((a, b) => b.value.length - a.value.length),
  };
}

/** The password of a URL, as it is written and as it is sent. */
function passwordsOf(value: string): string[] {
  const password = URL.parse(value)?.password ?? '';
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}
