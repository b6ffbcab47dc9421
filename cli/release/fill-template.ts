/** Replaces each `{{name}}` in a template with its value. */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{\{(\w+)\}\}/g, (placeholder, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`the template contains the unknown placeholder ${placeholder}`);
    return value;
  });
}
