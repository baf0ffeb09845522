/** The fixed fields of a row as one attribute, a map: an index can name 20 attributes and no more. */
export const FIXED_ATTRIBUTE = '_f'

/** Whether one of the fields has no attribute of its own: who changes it or asks for it has to read the row. */
export const isAnyFixed = ({ fixed }: { fixed: ReadonlySet<string> }, fields: Iterable<string>): boolean =>
  fixed.size > 0 && [...fields].some((field) => fixed.has(field))

/** The names of the attributes that hold the fields. */
export const attributesOf = (fixed: ReadonlySet<string>, fields: Iterable<string>): string[] => [
  ...new Set([...fields].map((field) => (fixed.has(field) ? FIXED_ATTRIBUTE : field))),
]
