/** A copy without the fields that are undefined: storage and answers have no such fields. */
export const definedFields = <T extends object>(fields: T) => {
  const defined: { [Name in keyof T]?: Exclude<T[Name], undefined> } = {}
  for (const name in fields) if (fields[name] !== undefined) defined[name] = fields[name] as never
  return defined
}
