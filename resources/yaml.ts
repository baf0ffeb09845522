/** Plain data as YAML. Texts are written bare, so they must be of words; what would need quotes throws TypeError. */
export const toYaml = (value: unknown, indent = ''): string => {
  if (Array.isArray(value)) return value.map((item) => listItem(item, indent)).join('')
  return Object.entries(value as object)
    .map(([key, item]) =>
      isPlain(item) ? `${indent}${key}: ${bare(item)}\n` : `${indent}${key}:\n${toYaml(item, `${indent}  `)}`,
    )
    .join('')
}

const listItem = (item: unknown, indent: string): string =>
  isPlain(item) ? `${indent}- ${bare(item)}\n` : `${indent}- ${toYaml(item, `${indent}  `).trimStart()}`

const isPlain = (value: unknown): boolean => typeof value !== 'object' || value === null

/** No word that YAML takes for something else, and nothing in it that ends a text. */
const WORDS = /^(?!(?:true|false|null)$)[a-z_$](?:[\w${}/.-]|:(?=\S)| (?=\w))*$/i

const bare = (value: unknown): string => {
  if (typeof value === 'boolean' || Number.isInteger(value)) return String(value)
  if (typeof value === 'string' && WORDS.test(value)) return value
  throw new TypeError(`${JSON.stringify(value)} would need quotes`)
}
