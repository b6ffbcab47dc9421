import { isSecretName } from './secret-name.ts';

/** A value that must not be shown. */
export interface Secret {
  readonly value: string;
  /**
   * Whether the value's name indicates a secret. Other values in the secrets file or in variables
   * can be settings.
   */
  readonly isNamed: boolean;
  /** The server that the secret belongs to. */
  readonly owner?: string | undefined;
}

/** Collects the values to redact: those of placeholders, and those in the secrets file. */
export interface Redactions {
  /** Adds a value. `names` are the names of the variables, headers or flags that contain it. */
  add(value: string, names: readonly string[], owner?: string): void;
  /** Secrets, longest first. */
  all(): readonly Secret[];
}

/**
 * Minimum length of secrets whose name does not indicate a secret. Shorter values are settings,
 * such as `stdio`, `main` or `2000`.
 */
const MIN_UNNAMED_LENGTH = 8;
/** Values of settings such as `DEBUG=true`. Redacting them would make every log unreadable. */
const SETTINGS =
  /^(?:true|false|none|null|auto|info|debug|warn|warning|error|verbose|production|development|staging|streamable-http)$/i;
/**
 * Paths, addresses, dates and media types, which are not redacted, because errors are useless
 * without them.
 */
const PLACES =
  /^(?:[/~]|\.\.?\/|[A-Za-z]:\\)|^(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\])(?::\d+)?$|^\d{4}-\d\d-\d\d$|^[a-z]+\/[\w.+*-]+$/;

export function createRedactions(): Redactions {
  const secrets = new Map<string, Secret>();
  const addOne = (value: string, isNamed: boolean, owner: string | undefined): void => {
    if (value === '') return;
    // `USE_TOKEN=true` is a setting, `PASSWORD=production` is a weak password.
    if (SETTINGS.test(value) && (!isNamed || value.length < MIN_UNNAMED_LENGTH)) return;
    if (!isNamed && (value.length < MIN_UNNAMED_LENGTH || PLACES.test(value))) return;
    const key = JSON.stringify([owner, value]);
    secrets.set(key, { value, isNamed: isNamed || secrets.get(key)?.isNamed === true, owner });
  };
  return {
    add(value, names, owner) {
      const isNamed = names.some(isSecretName);
      addOne(value, isNamed, owner);
      addOne(/^(?:Bearer|Basic|Token) +([^ ].*)$/i.exec(value)?.[1] ?? '', true, owner);
      for (const password of passwordsOf(value)) addOne(password, true, owner);
      // Adds each line, because logs are redacted line by line. A short line of a PEM key is harmless.
      for (const line of value.includes('\n') ? value.split(/\r?\n/) : []) addOne(line.trim(), false, owner);
    },
    all: () => [...secrets.values()].toSorted((a, b) => b.value.length - a.value.length),
  };
}

/** Returns the password in a URL, both as written and decoded. */
function passwordsOf(value: string): string[] {
  const password = URL.parse(value)?.password ?? '';
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}
