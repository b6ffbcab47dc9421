/** A page of the documentation, and usually its section. */
type Source = `docs/${string}.md` | `docs/${string}.md#${string}`;

/** By id: where users read the promise, and the promise. */
export type Behaviors = Readonly<Record<string, { readonly source: Source; readonly behavior: string }>>;
