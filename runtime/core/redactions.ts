/** Collects what must not be shown: values that stand in for a placeholder or come out of the secrets file. */
export interface Redactions {
  add(value: string): void;
  /** Longest first, so that what is inside another is found after it. */
  values(): readonly string[];
}

/** Shorter ones would be found everywhere. */
const LEAST_LENGTH = 4;
/** Settings, as `DEBUG=true`: to hide them would garble every log. */
const NO_SECRETS = /^(?:true|false|none|null|auto|info|debug|warn|warning|error)$/i;

export function createRedactions(): Redactions {
  const values = new Set<string>();
  const addOne = (value: string): void => {
    if (value.length >= LEAST_LENGTH && !NO_SECRETS.test(value)) values.add(value);
  };
  return {
    add(value) {
      addOne(value);
      addOne(/^(?:Bearer|Basic|Token) +(.+)$/i.exec(value)?.[1] ?? '');
      // Logs are read line by line.
      for (const line of value.includes('\n') ? value.split(/\r?\n/) : []) addOne(line.trim());
    },
    values: () => [...values].toSorted((a, b) => b.length - a.length),
  };
}
