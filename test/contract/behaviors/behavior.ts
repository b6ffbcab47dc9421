/** A page of the documentation, and usually its section. */
type Source = `docs/${string}.md` | `docs/${string}.md#${string}`;

/** The documentation page of each behavior and its description, by ID. */
export type Behaviors = Readonly<Record<string, { readonly source: Source; readonly behavior: string }>>;
