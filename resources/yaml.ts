/** Writes plain data as YAML. Texts are written without quotes; a text that needs them throws TypeError. */
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

/** Texts that YAML reads as texts without quotes. */
const WORDS = /^(?!(?:true|false|null)$)[a-z_$](?:[\w${}/.-]|:(?=\S)| (?=\w))*$/i

const bare = (value: unknown): string => {
  if (typeof value === 'boolean' || Number.isInteger(value)) return String(value)
  if (typeof value === 'string' && WORDS.test(value)) return value
  throw new TypeError(`${JSON.stringify(value)} would need quotes`)
}
